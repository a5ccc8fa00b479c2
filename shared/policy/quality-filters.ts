import { type GovernedLibrary, isPublic, sourceTypeOf } from './governed-library.ts'
import type { Policy, SourceType } from './policy.ts'

type Quality = Policy['libraryFilters']['quality']

/** A filter that is set. */
export type QualityFilter = {
  /** Its path in `quality`. */
  name: string
  /** Of which public sources it judges; all where absent. */
  of?: SourceType
  /** Undefined where what it asks for is not known of the library. */
  judge(library: GovernedLibrary): boolean | undefined
}

/** A filter that libraries pass because what it asks for is not known of so many of them. */
export type UnknownSignal = { filter: string; libraries: number }

const dayMs = 86_400_000

/** The filters of a policy that ask for something. */
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

/** Which filters of a policy some of the public libraries pass unjudged. */
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

/** A minimum of 0 asks for nothing. */
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
