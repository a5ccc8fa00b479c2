import type { ListedLibrary } from './catalog.ts'
import { distinctiveTerms } from './distinctive-terms.ts'
import { gradeLibraries, sureGrade } from './grade-libraries.ts'
import type { LibraryIndex } from './library-index.ts'
import { parseName } from './parsed-name.ts'
import { bm25Scores } from './text-index.ts'

const maxResults = 30
const questionWeight = 0.35
/** Lower than the distance between a name and its next best spelling, so that it only separates names that match equally well. */
const popularityWeight = 0.06

type NameQuery = { libraryName: string; query?: string }
type Scored = { library: ListedLibrary; score: number; named: boolean; sure: boolean; ofOwner: boolean }

export type FoundLibrary = ListedLibrary & {
  /** False if the name only resembles, or only its owner matches. Absent if the library has the name, also in another spelling. */
  exact?: false
  /** True if it is not exact, but of the owner that the search names. */
  sameOwner?: true
}

type RankOptions = { own?: LibraryIndex; isAllowed?: (library: ListedLibrary) => boolean }

/**
 * The libraries that a name may mean, best first, at most 30. A library of the name ranks above others of the owner, and a similar name never
 * above a matching one. The question decides between names that match about equally well, popularity between those that match the same. `own` is an index of
 * private libraries.
 */
export function rankLibraries(
  index: LibraryIndex,
  query: NameQuery,
  { own, isAllowed = () => true }: RankOptions = {},
): FoundLibrary[] {
  const scoredLibraries =
    own === undefined ? scoreLibraries(index, query) : [...scoreLibraries(index, query), ...scoreLibraries(own, query)]
  return scoredLibraries
    .filter(({ library }) => isAllowed(library))
    .sort(
      (a, b) =>
        Number(b.named) - Number(a.named) ||
        Number(b.sure) - Number(a.sure) ||
        Number(b.ofOwner) - Number(a.ofOwner) ||
        b.score - a.score ||
        (a.library.id < b.library.id ? -1 : 1),
    )
    .slice(0, maxResults)
    .map(marked)
}

const marked = ({ library, named, ofOwner }: Scored): FoundLibrary =>
  named ? library : { ...library, exact: false, ...(ofOwner && { sameOwner: true }) }

function scoreLibraries(index: LibraryIndex, query: NameQuery): Scored[] {
  const name = parseName(query.libraryName)
  const question = distinctiveTerms(query.query ?? '')
  const fits = question.size > 0 ? bm25Scores(index.texts, new Set([...name.terms, ...question])) : undefined
  const maxFit = fits?.reduce((best, each) => Math.max(best, each), 0) || 1
  const { grades, named, ofOwner } = gradeLibraries(index, name, question)
  const scoredLibraries: Scored[] = []
  for (const [place, grade] of grades) {
    const library = index.libraries[place]
    if (!library) continue
    const fit = (fits?.[place] ?? 0) / maxFit
    const score = grade + questionWeight * fit + popularityWeight * popularity(library.stars)
    scoredLibraries.push({ library, score, named: named.has(place), sure: grade >= sureGrade, ofOwner: ofOwner.has(place) })
  }
  return scoredLibraries
}

/** 0 for unknown, 1 for 250,000 stars and more. */
const popularity = (stars: number): number => Math.min(1, Math.log10(1 + Math.max(0, stars) / 1000) / 2.4)
