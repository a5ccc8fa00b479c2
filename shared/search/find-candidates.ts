import type { ServedVersion } from './catalog.ts'
import type { SnippetRow, SnippetStore, WeightedTerm } from './snippet-store.ts'

/** `vector`: of the question, where both legs of the search answered. */
export type Candidates = { rows: SnippetRow[]; vector: Float32Array | undefined }

/** What the terms find and what is near the question, each once, at most `limit` of each. Undefined where the generation is gone. */
export async function findCandidates(
  snippets: Pick<SnippetStore, 'search' | 'searchVector'>,
  { generation, space }: Pick<ServedVersion, 'generation' | 'space'>,
  asked: { terms: WeightedTerm[]; vector: Promise<Float32Array | undefined> | undefined; limit: number },
): Promise<Candidates | undefined> {
  const { terms, limit } = asked
  const [byTerms, near] = await Promise.all([
    snippets.search(generation, terms, limit, { vectors: space !== undefined }),
    asked.vector?.then(async (vector) => vector && { vector, rows: await snippets.searchVector(generation, vector, limit) }),
  ])
  if (byTerms === undefined) return undefined
  if (near === undefined) return { rows: byTerms, vector: undefined }
  if (near.rows === undefined) return undefined
  const found = new Set(byTerms.map(({ id }) => id))
  return { rows: [...byTerms, ...near.rows.filter(({ id }) => !found.has(id))], vector: near.vector }
}
