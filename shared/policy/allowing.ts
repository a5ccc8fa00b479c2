import type { Library } from '../library.ts'
import type { Policy, SourceType } from './policy.ts'

/** What policies judge a library by. Facts that are absent, or -1, are unknown. */
export type GovernedLibrary = Pick<Library, 'id' | 'stars' | 'trustScore' | 'lastUpdateDate'> & {
  /** The teamspace that alone may see it. */
  privateTo?: string
  /** A public repository where absent. */
  sourceType?: SourceType
  verified?: boolean
  /** SPDX id of the license of its code. */
  codeLicense?: string
  /** Host of a website. */
  domain?: string
  backlinks?: number
  referringDomains?: number
  organicTraffic?: number
}

const dayMs = 86_400_000
const publicTypes: ReadonlySet<SourceType> = new Set(['public_repos', 'websites', 'llmstxt'])

/**
 * Whether the policy lets a library through: made once, asked for many. In quality mode excepted libraries pass whatever else is
 * set. Filters judge public sources alone; an unknown fact counts as 0, false or too old, so that it clears no filter.
 */
export function allowing(policy: Policy, now: Date): (library: GovernedLibrary) => boolean {
  const { mode, quality, select } = policy.libraryFilters
  const isExcepted = listedIn(mode === 'quality' ? quality.exceptedLibraries : [])
  const isBlocked = listedIn(mode === 'quality' ? quality.blockedLibraries : [])
  const passes = mode === 'quality' ? clears(quality, now) : mode === 'select' ? listedIn(select.allowedLibraries) : () => true
  return (library) => {
    if (isExcepted(library)) return true
    const type = sourceTypeOf(library)
    if (!policy.sourceTypes[type].enabled || isBlocked(library)) return false
    return !publicTypes.has(type) || passes(library)
  }
}

const sourceTypeOf = ({ privateTo, sourceType = 'public_repos' }: GovernedLibrary): SourceType =>
  privateTo !== undefined ? 'private_sources' : sourceType

/** By its path, its owner, or the domain of its site or one above that. */
function listedIn(entries: readonly string[]): (library: GovernedLibrary) => boolean {
  if (entries.length === 0) return () => false
  const listed = new Set(entries.map((entry) => entry.toLowerCase()))
  return ({ id, domain }) => {
    const path = id.toLowerCase()
    if (listed.has(path) || listed.has(path.slice(0, path.indexOf('/', 1)))) return true
    for (let host = domain?.toLowerCase(); host; host = host.includes('.') ? host.slice(host.indexOf('.') + 1) : undefined) {
      if (listed.has(host)) return true
    }
    return false
  }
}

function clears(quality: Policy['libraryFilters']['quality'], now: Date): (library: GovernedLibrary) => boolean {
  const { requireVerified, minTrustScore, maxAgeDays, repoFilters, websiteFilters } = quality
  const licenses = new Set(repoFilters.allowedLicenses.map((id) => id.toLowerCase()))
  const oldest = maxAgeDays === null ? -Infinity : now.getTime() - maxAgeDays * dayMs
  const isFresh = (date: string) => maxAgeDays === null || Date.parse(date) >= oldest
  const isLicensed = (id = '') => licenses.size === 0 || licenses.has(id.toLowerCase())
  return (library) => {
    if (requireVerified && !library.verified) return false
    if (!reaches(library.trustScore, minTrustScore) || !isFresh(library.lastUpdateDate)) return false
    switch (sourceTypeOf(library)) {
      case 'public_repos':
        return reaches(library.stars, repoFilters.minStars) && isLicensed(library.codeLicense)
      case 'websites':
        return (
          reaches(library.backlinks, websiteFilters.minBacklinks) &&
          reaches(library.referringDomains, websiteFilters.minReferringDomains) &&
          reaches(library.organicTraffic, websiteFilters.minOrganicTraffic)
        )
      default:
        return true
    }
  }
}

const reaches = (value = 0, minimum: number | null): boolean => minimum === null || Math.max(0, value) >= minimum
