import type { ListedLibrary } from '../catalog.ts'
import { bm25 } from './bm25.ts'
import { distinctiveTerms } from './distinctive-terms.ts'
import { gradeLibraries, sureGrade } from './grade-libraries.ts'
import type { LibraryIndex } from './library-index.ts'
import { parseName } from './parsed-name.ts'

const maxResults = 30
const questionWeight = 0.35
/** Lower than the distance between a name and its next best spelling, so that it only separates names that match equally well. */
const popularityWeight = 0.06

type NameQuery = { libraryName: string; query?: string }
type Found = { library: ListedLibrary; score: number; sure: boolean }

type RankOptions = { own?: LibraryIndex; isAllowed?: (library: ListedLibrary) => boolean }

/**
 * The libraries that a name may mean, best first, at most 30. A similar name never ranks above a matching one. The question decides between
 * names that match about equally well, popularity between those that match the same. `own` is an index of private libraries.
 */
export function rankLibraries(
  index: LibraryIndex,
  query: NameQuery,
  { own, isAllowed = () => true }: RankOptions = {},
): ListedLibrary[] {
  const found =
    own === undefined ? scoreLibraries(index, query) : [...scoreLibraries(index, query), ...scoreLibraries(own, query)]
  return found
    .filter(({ library }) => isAllowed(library))
    .sort((a, b) => Number(b.sure) - Number(a.sure) || b.score - a.score || (a.library.id < b.library.id ? -1 : 1))
    .slice(0, maxResults)
    .map(({ library }) => library)
}

function scoreLibraries(index: LibraryIndex, query: NameQuery): Found[] {
  const name = parseName(query.libraryName)
  const question = distinctiveTerms(query.query ?? '')
  const fits = question.size > 0 ? bm25(index.texts, new Set([...name.terms, ...question])) : undefined
  const maxFit = fits?.reduce((best, each) => Math.max(best, each), 0) || 1
  const found: Found[] = []
  for (const [place, grade] of gradeLibraries(index, name, question)) {
    const library = index.libraries[place]
    if (!library) continue
    const fit = (fits?.[place] ?? 0) / maxFit
    const score = grade + questionWeight * fit + popularityWeight * popularity(library.stars)
    found.push({ library, score, sure: grade >= sureGrade })
  }
  return found
}

/** 0 for unknown, 1 for 250,000 stars and more. */
const popularity = (stars: number): number => Math.min(1, Math.log10(1 + Math.max(0, stars) / 1000) / 2.4)
