import type { VectorSpace } from '../../ai/embedder.ts'
import type { SnippetRow, SnippetStore, WeightedTerm } from '../rows/snippet-store.ts'

/** `vector` is the vector of the question, if the vector search contributed. */
export type Candidates = {
  rows: SnippetRow[]
  vector: Float32Array | undefined
  /** The rows of each retriever, best first. */
  retrieved: { text: SnippetRow[]; vector: SnippetRow[] }
}

/** The rows that match the terms and the rows near the question, without duplicates, at most `limit` of each. Undefined if the generation is gone. */
export async function findCandidates(
  snippets: Pick<SnippetStore, 'search' | 'searchVector'>,
  { generation, space }: { generation: string; space?: VectorSpace },
  { terms, vector, limit }: { terms: WeightedTerm[]; vector: Float32Array | undefined; limit: number },
  signal: AbortSignal,
): Promise<Candidates | undefined> {
  const [byTerms, byVector] = await Promise.all([
    snippets.search(generation, terms, limit, { vectors: space !== undefined, signal }),
    vector && snippets.searchVector(generation, vector, limit, { signal }),
  ])
  if (byTerms === undefined) return undefined
  if (vector === undefined) return { rows: byTerms, vector, retrieved: { text: byTerms, vector: [] } }
  if (byVector === undefined) return undefined
  const ids = new Set(byTerms.map(({ id }) => id))
  return {
    rows: [...byTerms, ...byVector.filter(({ id }) => !ids.has(id))],
    vector,
    retrieved: { text: byTerms, vector: byVector },
  }
}
