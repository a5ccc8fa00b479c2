import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { changeList, exactly, LibraryListChange, LicenseListChange, maxEntries, overlap, textList } from './list-change.ts'
import { type Policy, policyRules } from './policy.ts'
import { type SourceType, sourceTypes } from './source-types.ts'

const types = textList(
  (text) => (sourceTypes as readonly string[]).includes(text),
  `must hold only source types: ${sourceTypes.join(', ')}`,
  20,
  [...sourceTypes],
).transform((list) => list as SourceType[])

const minimum = policyRules.minimum.optional()

/** A change of a policy. Omitted fields stay as they are, null clears a field. */
export const PolicyChange = exactly({
  sourceTypes: exactly({ enable: types.optional(), disable: types.optional() })
    .refine(({ enable, disable }) => !overlap(enable, disable), { message: 'must not enable and disable the same type' })
    .optional(),
  libraryFilters: exactly({
    mode: policyRules.mode.optional(),
    quality: exactly({
      requireVerified: policyRules.requireVerified.optional(),
      minTrustScore: policyRules.minTrustScore.optional(),
      maxAgeDays: policyRules.maxAgeDays.optional(),
      blockedLibraries: LibraryListChange.optional(),
      exceptedLibraries: LibraryListChange.optional(),
      repoFilters: exactly({ minStars: minimum, allowedLicenses: LicenseListChange.optional() }).optional(),
      websiteFilters: exactly({
        minBacklinks: minimum,
        minReferringDomains: minimum,
        minOrganicTraffic: minimum,
      }).optional(),
    }).optional(),
    select: exactly({ allowedLibraries: LibraryListChange.optional() }).optional(),
  }).optional(),
}).refine((change) => change.sourceTypes !== undefined || change.libraryFilters !== undefined, {
  message: 'must hold sourceTypes, libraryFilters or both',
})
export type PolicyChange = z.infer<typeof PolicyChange>

/** Fits into one record next to its other attributes. */
const maxBytes = 300_000

/** The policy after the change. Throws validation_error if a list or the whole policy becomes too long. */
export function applyChange(policy: Policy, { sourceTypes: types, libraryFilters: filters }: PolicyChange): Policy {
  const { quality, select } = policy.libraryFilters
  const { blockedLibraries, exceptedLibraries, repoFilters, websiteFilters, ...scalars } = filters?.quality ?? {}
  const { allowedLicenses, ...repoScalars } = repoFilters ?? {}
  const changed: Policy = {
    sourceTypes: { ...policy.sourceTypes, ...switched(types?.enable, true), ...switched(types?.disable, false) },
    libraryFilters: {
      mode: filters?.mode === undefined ? policy.libraryFilters.mode : filters.mode,
      quality: {
        ...quality,
        ...defined(scalars),
        blockedLibraries: changeList(quality.blockedLibraries, blockedLibraries),
        exceptedLibraries: changeList(quality.exceptedLibraries, exceptedLibraries),
        repoFilters: {
          ...quality.repoFilters,
          ...defined(repoScalars),
          allowedLicenses: changeList(quality.repoFilters.allowedLicenses, allowedLicenses),
        },
        websiteFilters: { ...quality.websiteFilters, ...defined(websiteFilters ?? {}) },
      },
      select: { allowedLibraries: changeList(select.allowedLibraries, filters?.select?.allowedLibraries) },
    },
  }
  checkSize(changed)
  return changed
}

const switched = (types: readonly SourceType[] = [], enabled: boolean) =>
  Object.fromEntries(types.map((type) => [type, { enabled }]))

/** Omits undefined fields, which a spread would write over existing values. */
const defined = <T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as typeof fields & object

function checkSize({ libraryFilters: { quality, select }, ...rest }: Policy): void {
  const lists = {
    blockedLibraries: quality.blockedLibraries,
    exceptedLibraries: quality.exceptedLibraries,
    allowedLicenses: quality.repoFilters.allowedLicenses,
    allowedLibraries: select.allowedLibraries,
  }
  for (const [name, { length }] of Object.entries(lists)) {
    if (length > maxEntries) {
      throw new AppError(
        'validation_error',
        `${name} would have ${length} entries; the maximum is ${maxEntries}. List owners instead of their libraries.`,
      )
    }
  }
  if (Buffer.byteLength(JSON.stringify([quality, select, rest])) > maxBytes) {
    throw new AppError('validation_error', `The policy would be larger than ${maxBytes} bytes. Remove entries from its lists.`)
  }
}
