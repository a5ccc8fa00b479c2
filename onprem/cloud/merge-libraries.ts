import type { ListedLibrary } from '../../shared/search/catalog.ts'
import type { FoundLibraries } from '../../shared/search/libraries/search-libraries.ts'

const maxResults = 30
/** Places that are reserved for hosted libraries if many local ones match. */
const reservedPlaces = 10

type Found = Omit<FoundLibraries, 'hosted'>

/** Local libraries first, then those of the hosted service that are not local. */
export function mergeLibraries(local: Found, hosted: Found, isLocal: (library: ListedLibrary) => boolean): Found {
  const others = hosted.results.filter((library) => !isLocal(library))
  const own = local.results.slice(0, maxResults - Math.min(reservedPlaces, others.length))
  return {
    results: [...own, ...others].slice(0, maxResults),
    searchFilterApplied: local.searchFilterApplied || hosted.searchFilterApplied,
  }
}
