import { countOf, formatCount } from '../../../../shared/web/format.ts'
import { type FoundLibrary, pendingText } from '../../../../shared/web/search/found.ts'

/** How many libraries a search shows, and how many matches a search in one library. */
export const maxLibraries = 20
export const maxMatches = 100

type Result = { libraries: readonly Pick<FoundLibrary, 'matches'>[]; pending: number }

/** "12 matches in 3 libraries", and why some are missing. `library` is empty for all. */
export function resultText({ libraries, pending }: Result, library: string): string {
  const count = libraries.reduce((sum, { matches }) => sum + matches.length, 0)
  const matches = countOf(count, 'match', 'matches')
  const text =
    library !== '' ? (count < maxMatches ? matches : `The best ${formatCount(count)} matches`) : inAll(libraries, matches)
  return [libraries.length === 0 ? 'Nothing found' : text, pendingText(pending)].filter((part) => part !== '').join('. ')
}

function inAll({ length }: Result['libraries'], matches: string): string {
  return length < maxLibraries
    ? `${matches} in ${countOf(length, 'library', 'libraries')}`
    : `${matches} in the best ${formatCount(length)} libraries. More words narrow the search.`
}
