import type { VectorSpace } from '../../ai/embedder.ts'
import type { SnippetRow, SnippetStore, WeightedTerm } from '../rows/snippet-store.ts'

/** `vector` is the vector of the question, if the vector search contributed. */
export type Candidates = {
  rows: SnippetRow[]
  vector: Float32Array | undefined
  /** The rows of each retriever, best first. */
  retrieved: { text: SnippetRow[]; vector: SnippetRow[] }
}

/** The rows that match the terms and the rows near the question, without duplicates, at most `limit` of each, twice as many if copies are among them. Undefined if the generation is gone. */
export async function findCandidates(
  snippets: Pick<SnippetStore, 'search' | 'searchVector'>,
  { generation, space }: { generation: string; space?: VectorSpace },
  { terms, vector, limit }: { terms: WeightedTerm[]; vector: Float32Array | undefined; limit: number },
  signal: AbortSignal,
): Promise<Candidates | undefined> {
  const [byTerms, byVector] = await Promise.all([
    withFirsts(limit, (withoutCopies) =>
      snippets.search(generation, terms, limit, { vectors: space !== undefined, withoutCopies, signal }),
    ),
    vector && withFirsts(limit, (withoutCopies) => snippets.searchVector(generation, vector, limit, { withoutCopies, signal })),
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

/** If copies of few sections displace the others, the best rows that are no copies are added. */
async function withFirsts(
  limit: number,
  search: (withoutCopies: boolean) => Promise<SnippetRow[] | undefined>,
): Promise<SnippetRow[] | undefined> {
  const rows = await search(false)
  if (!rows || rows.length < limit || new Set(rows.map(({ hash }) => hash)).size * 2 > limit) return rows
  const ids = new Set(rows.map(({ id }) => id))
  const firsts = await search(true)
  return firsts && [...rows, ...firsts.filter(({ id }) => !ids.has(id))]
}
