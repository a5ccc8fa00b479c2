import { type GovernedLibrary, isPublic, sourceTypeOf } from './governed-library.ts'
import type { Policy } from './policy.ts'
import type { SourceType } from './source-types.ts'

type Quality = Policy['libraryFilters']['quality']

/** An active filter. */
export type QualityFilter = {
  /** Its path in `quality`. */
  name: string
  /** The source type that it applies to. Absent for all public sources. */
  of?: SourceType
  /** Returns undefined if the fact is unknown. */
  judge(library: GovernedLibrary): boolean | undefined
}

/** The number of libraries that pass a filter because its fact is unknown. */
export type UnknownSignal = { filter: string; libraries: number }

const dayMs = 86_400_000

/** The active filters of a policy. */
export function qualityFilters({ requireVerified, minTrustScore, maxAgeDays, ...quality }: Quality, now: Date): QualityFilter[] {
  const { minStars, allowedLicenses } = quality.repoFilters
  const { minBacklinks, minReferringDomains, minOrganicTraffic } = quality.websiteFilters
  const licenses = new Set(allowedLicenses.map((id) => id.toLowerCase()))
  return [
    ...(requireVerified ? [{ name: 'requireVerified', judge: ({ verified }: GovernedLibrary) => verified }] : []),
    ...atLeast(minTrustScore, { name: 'minTrustScore' }, ({ trustScore }) => trustScore),
    ...(maxAgeDays === null ? [] : [{ name: 'maxAgeDays', judge: newerThan(now.getTime() - maxAgeDays * dayMs) }]),
    ...atLeast(minStars, { name: 'repoFilters.minStars', of: 'public_repos' }, ({ stars }) => stars),
    ...(licenses.size === 0
      ? []
      : [{ name: 'repoFilters.allowedLicenses', of: 'public_repos' as const, judge: licensedBy(licenses) }]),
    ...atLeast(minBacklinks, { name: 'websiteFilters.minBacklinks', of: 'websites' }, ({ backlinks }) => backlinks),
    ...atLeast(
      minReferringDomains,
      { name: 'websiteFilters.minReferringDomains', of: 'websites' },
      ({ referringDomains }) => referringDomains,
    ),
    ...atLeast(
      minOrganicTraffic,
      { name: 'websiteFilters.minOrganicTraffic', of: 'websites' },
      ({ organicTraffic }) => organicTraffic,
    ),
  ]
}

/** The filters of a policy that some public libraries pass because a fact is unknown. */
export function unknownSignals(
  { libraryFilters: { mode, quality } }: Policy,
  libraries: readonly GovernedLibrary[],
  now: Date,
): UnknownSignal[] {
  if (mode !== 'quality') return []
  const open = libraries.filter(isPublic)
  return qualityFilters(quality, now)
    .map(({ name, of, judge }) => {
      const judged = of === undefined ? open : open.filter((library) => sourceTypeOf(library) === of)
      return { filter: name, libraries: judged.filter((library) => judge(library) === undefined).length }
    })
    .filter((signal) => signal.libraries > 0)
}

/** A minimum of 0 is no filter. */
function atLeast(
  minimum: number | null,
  filter: Omit<QualityFilter, 'judge'>,
  fact: (library: GovernedLibrary) => number | undefined,
): QualityFilter[] {
  if (minimum === null || minimum <= 0) return []
  const judge = (library: GovernedLibrary) => {
    const value = fact(library) ?? -1
    return value < 0 ? undefined : value >= minimum
  }
  return [{ ...filter, judge }]
}

const newerThan =
  (oldest: number) =>
  ({ lastUpdateDate }: GovernedLibrary): boolean | undefined => {
    const updated = Date.parse(lastUpdateDate)
    return Number.isNaN(updated) ? undefined : updated >= oldest
  }

const licensedBy =
  (licenses: ReadonlySet<string>) =>
  ({ codeLicense }: GovernedLibrary): boolean | undefined =>
    codeLicense === undefined ? undefined : licenses.has(codeLicense.toLowerCase())
