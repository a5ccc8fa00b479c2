import { z } from 'zod'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import { LibraryIdParam } from '../../shared/schemas/library-id-param.ts'
import { wholeNumber } from '../../shared/schemas/whole-number.ts'
import type { Catalog, ListedLibrary } from '../../shared/search/libraries/catalog.ts'
import { headingAnchor } from '../../shared/text/heading-anchor.ts'
import type { IndexedChunk } from '../store/text-index/indexed-rows.ts'
import type { TextIndex } from '../store/text-index/text-index.ts'
import { excerptAround, hasWord, marksOf, matchOf, plainWord, queryWords } from './query-words.ts'

export const EverythingQuery = z.object({
  q: z.string().describe('What somebody types; the last word may be unfinished. Of a longer text, 500 characters are read'),
  libraryId: LibraryIdParam.optional().describe('Only this library'),
  limit: wholeNumber(1, 100)
    .optional()
    .describe('Number of libraries, by default 8, with 3 matches each; with libraryId, its number of matches, by default 20'),
})
type EverythingQuery = z.infer<typeof EverythingQuery>

const Match = z
  .object({
    kind: z.enum(['page', 'heading', 'text']),
    path: z.string().describe('The path of the page'),
    title: z.string().describe('The title of the page'),
    section: z.string().optional().describe('The headings above the match, joined by " > "'),
    anchor: z.string().optional().describe('The anchor of the heading on the page of this server'),
    text: z.string().describe('The title or path, the heading, or a part of the text'),
    marks: z.array(z.tuple([z.int(), z.int()])).describe('Places of the words in `text`: start and end in UTF-16 units'),
  })
  .meta({ id: 'EverythingMatch' })
type Match = z.infer<typeof Match>

export const EverythingAnswer = z
  .object({
    libraries: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        description: z.string(),
        named: z.boolean().describe('True if the id or title has all words'),
        matches: z.array(Match),
      }),
    ),
    pending: z.int().describe('Number of libraries whose text is not searchable yet, because it is being indexed'),
  })
  .meta({ id: 'EverythingResponse' })
type EverythingAnswer = z.infer<typeof EverythingAnswer>

type EverythingPorts = { catalog: Pick<Catalog, 'listed'>; textIndex: TextIndex }

const defaultLibraries = 8
const matchesEach = 3
const defaultMatches = 20
/** A match in a better place comes first, however well the text of another library matches: a rank is far below these. */
const scores = { wholeName: 4_000, name: 3_000, heading: 1_000, description: 500 }

/** The libraries with the words in their name, pages, headings or text, best first. Reads only those that the catalog lists. */
export async function searchEverything(
  { catalog, textIndex }: EverythingPorts,
  { q, libraryId, limit }: EverythingQuery,
): Promise<EverythingAnswer> {
  await textIndex.refresh()
  const { libraries } = await catalog.listed()
  const only = libraryId && libraryKey(libraryId)
  const readable = new Map(libraries.map((library) => [libraryKey(parseLibraryId(library.id)), library]))
  if (only !== undefined) for (const key of readable.keys()) if (key !== only) readable.delete(key)
  const pending = [...readable.keys()].filter(textIndex.isPending).length
  const words = queryWords(q)
  if (words.length === 0) return { libraries: [], pending }
  const wanted = only === undefined ? (limit ?? defaultLibraries) : 1
  const perLibrary = only === undefined ? matchesEach : (limit ?? defaultMatches)
  const found = new Map<string, { score: number; rows: number[] }>()
  const at = (key: string) => found.get(key) ?? found.set(key, { score: 0, rows: [] }).get(key)
  for (const [key, library] of readable) {
    const score = libraryScore(library, words)
    if (score > 0) found.set(key, { score, rows: [] })
  }
  for (const [columns, columnScore] of [
    ['page heading', scores.heading],
    ['content', 0],
  ] as const) {
    // A common word fills the answer from titles and headings; ranking all text that has it is slow.
    const full = [...found.values()].filter(({ rows }) => rows.length >= perLibrary).length
    if (full >= wanted) break
    const match = matchOf(words, columns)
    for (const { row, score, key } of match === undefined ? [] : textIndex.ranked(match, [...readable.keys()])) {
      const library = at(key)
      if (!library || library.rows.includes(row) || library.rows.length >= perLibrary) continue
      if (library.rows.push(row) === 1) library.score += columnScore + score
    }
  }
  const best = [...found]
    .sort(([a, { score: scoreA }], [b, { score: scoreB }]) => scoreB - scoreA || (a < b ? -1 : 1))
    .slice(0, wanted)
  return {
    libraries: best.flatMap(([key, { rows }]) => {
      const library = readable.get(key)
      const chunks = rows.flatMap((row) => textIndex.chunk(row) ?? [])
      return library
        ? [
            {
              ...headOf(library),
              named: libraryScore(library, words) >= scores.name,
              matches: chunks.map((chunk) => matchIn(chunk, words)),
            },
          ]
        : []
    }),
    pending,
  }
}

const headOf = ({ id, title, description }: ListedLibrary) => ({ id, title, description })

/** The score of a library whose id or title is or has these words, or whose description has the rest of them; 0 for others. */
function libraryScore({ id, title, description }: ListedLibrary, words: string[]): number {
  const [name, repository, titled] = [id, id.slice(id.lastIndexOf('/') + 1), title].map((text) => wordsIn(text))
  const has = (among: string[] = []) => words.every((word, i) => hasWord(among, word, i === words.length - 1))
  const isWhole = [name, repository, titled].some(
    (each) => each?.length === words.length && words.every((word) => each.includes(word)),
  )
  if (isWhole) return scores.wholeName
  if (has(name) || has(titled)) return scores.name
  return has([...(name ?? []), ...(titled ?? []), ...wordsIn(description)]) ? scores.description : 0
}

const wordsIn = (text: string): string[] => (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map(plainWord)

/** Shows a row by its page, heading or text, whichever has most of the words; of equals, in this order. */
function matchIn({ page, heading, content, path, title, section }: IndexedChunk, words: string[]): Match {
  const [pageTitle = '', pagePath = ''] = page.split('\n')
  const text = excerptAround(content, words)
  const candidates = [
    { kind: 'page' as const, text: pageTitle },
    { kind: 'page' as const, text: pagePath },
    { kind: 'heading' as const, text: heading },
    { kind: 'text' as const, text },
  ].map((each) => ({ ...each, marks: marksOf(each.text, words), has: wordsFound(each.text, words) }))
  const most = Math.max(...candidates.map(({ has }) => has))
  const { has, ...best } = candidates.find((each) => each.has === most) ?? { has: 0, kind: 'text' as const, text, marks: [] }
  const place =
    best.kind !== 'page' && section !== '' ? { section, anchor: headingAnchor(section.split(' > ').at(-1) ?? '') } : {}
  return { path, title, ...place, ...best }
}

function wordsFound(text: string, words: string[]): number {
  const among = wordsIn(text)
  return words.filter((word, i) => hasWord(among, word, i === words.length - 1)).length
}
