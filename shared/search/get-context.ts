import { z } from 'zod'
import { AppError } from '../errors.ts'
import { parseLibraryId, printLibraryId } from '../library.ts'
import type { Snippet } from '../snippet.ts'
import { countTokens } from '../tokens.ts'
import type { Catalog, ServedVersion } from './catalog.ts'
import { choose, rank } from './rank.ts'
import { readQuestion } from './read-question.ts'
import { renderSnippet } from './render-context.ts'
import type { SnippetRow, SnippetStore } from './snippet-store.ts'
import type { LibraryStatistics } from './statistics.ts'

export const ContextQuery = z.object({
  libraryId: z.string().min(1).max(500).describe('The library, as /owner/repo, with /version or @version to pin one'),
  query: z.string().min(1).max(500).describe('What you want to do, in plain English words'),
  type: z.enum(['txt', 'json']).default('txt').describe('txt for a model to read, json for a program'),
  fast: z.enum(['true', 'false']).default('false').describe('true leaves out the reranking by a language model'),
  tokens: z.coerce
    .number()
    .int()
    .min(500)
    .max(50_000)
    .default(5000)
    .describe('How long the answer may be; a token is four characters'),
})
export type ContextQuery = z.infer<typeof ContextQuery>

export type Context = {
  /** Most relevant first. */
  snippets: Snippet[]
  /** The owner's guidance from the project file. */
  rules: string[]
  /** Which legs of the search answered. */
  search: 'hybrid' | 'text'
}

export type ContextPorts = { catalog: Catalog; snippets: SnippetStore }

const candidates = 100

/** The best snippets of one library for a question. Throws invalid_library_id, library_not_found, tag_not_found, no_snippets_found. */
export async function getContext(
  ports: ContextPorts,
  input: Pick<ContextQuery, 'libraryId' | 'query' | 'tokens'>,
): Promise<Context> {
  const id = parseLibraryId(input.libraryId)
  let served = await ports.catalog.served(id)
  let found = await answer(ports.snippets, served.generation, input)
  if (!found) {
    served = await ports.catalog.served(id)
    found = await answer(ports.snippets, served.generation, input)
  }
  if (!found)
    throw new AppError('search_failed', `The content of ${input.libraryId} is being replaced. Ask again in a moment.`, {
      transient: true,
    })
  if (found.rows.length === 0) throw nothingFound(served, found.library)
  return { snippets: found.rows, rules: served.rules, search: 'text' }
}

type Found = { rows: SnippetRow[]; library: LibraryStatistics }

/** Undefined where the generation is gone. */
async function answer(
  snippets: SnippetStore,
  generation: string,
  { query, tokens }: Pick<ContextQuery, 'query' | 'tokens'>,
): Promise<Found | undefined> {
  const library = await snippets.statistics(generation)
  if (!library) return undefined
  const concepts = readQuestion(query, library)
  const rows = await snippets.search(generation, concepts.flat(), candidates)
  if (!rows) return undefined
  const ranked = rank(rows, concepts, library, query)
  return { rows: choose(ranked, tokens, (row) => countTokens(renderSnippet(row)) + 10), library }
}

function nothingFound({ library, version }: ServedVersion, { topics }: LibraryStatistics): AppError {
  const id = printLibraryId({ ...parseLibraryId(library.id), ...(version === undefined ? {} : { version }) })
  const about = topics.length > 0 ? ` Its main topics are: ${topics.slice(0, 8).join(', ')}.` : ''
  return new AppError('no_snippets_found', `Nothing in ${id} matches this question. Ask in other words, in English.${about}`)
}
