import { type GovernedLibrary, isPublic, sourceTypeOf } from './governed-library.ts'
import type { Policy } from './policy.ts'
import { qualityFilters } from './quality-filters.ts'

/**
 * Returns a function that is true if the policy allows a library. In quality mode, excepted libraries always pass. Filters apply only to public
 * sources, each to one fact; a library passes a filter if that fact is unknown.
 */
export function allowedBy(policy: Policy, now: Date): (library: GovernedLibrary) => boolean {
  const { mode, quality, select } = policy.libraryFilters
  const isExcepted = listedIn(mode === 'quality' ? quality.exceptedLibraries : [])
  const isBlocked = listedIn(mode === 'quality' ? quality.blockedLibraries : [])
  const passes = mode === 'quality' ? clears(quality, now) : mode === 'select' ? listedIn(select.allowedLibraries) : () => true
  return (library) => {
    if (isExcepted(library)) return true
    const type = sourceTypeOf(library)
    if (!policy.sourceTypes[type].enabled || isBlocked(library)) return false
    return !isPublic(library) || passes(library)
  }
}

/** Matches the path, the owner, or the domain of the site or a parent domain. */
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
  const filters = qualityFilters(quality, now)
  return (library) =>
    filters.every(({ of, judge }) => (of !== undefined && of !== sourceTypeOf(library)) || judge(library) !== false)
}
