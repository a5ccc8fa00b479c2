import type { ListedLibrary } from '../../shared/search/libraries/catalog.ts'
import type { FoundLibrary } from '../../shared/search/libraries/rank-libraries.ts'
import type { FoundLibraries } from '../../shared/search/libraries/search-libraries.ts'

const maxResults = 30
/** Places that are reserved for hosted libraries if many local ones match. */
const reservedPlaces = 10

type Found = Omit<FoundLibraries, 'hosted'>

const isExact = ({ exact }: FoundLibrary): boolean => exact !== false

/** Local libraries first, then those of the hosted service that are not local; but exact ones before others. */
export function mergeLibraries(local: Found, hosted: Found, isLocal: (library: ListedLibrary) => boolean): Found {
  const others = hosted.results.filter((library) => !isLocal(library))
  const own = local.results.slice(0, maxResults - Math.min(reservedPlaces, others.length))
  return {
    results: [...own, ...others].sort((a, b) => Number(isExact(b)) - Number(isExact(a))).slice(0, maxResults),
    searchFilterApplied: local.searchFilterApplied || hosted.searchFilterApplied,
  }
}
