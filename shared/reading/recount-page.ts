import { type AnalysedChunk, type PackedChunks, packChunks, unpackChunks } from '../search/rows/packed-chunks.ts'
import type { PageCounts } from '../search/statistics/statistics.ts'
import { analyseSnippets } from './analyse-page.ts'

/** A page of which only some chunks are stored, as the others are copies of chunks elsewhere. */
export type PartlyStored = { chunks: PackedChunks; isStored: boolean[] }
/** Copies have only their hash. */
export type RecountedPage = { chunks: PackedChunks; counts: PageCounts }

/** Analyses a page as if it had only the chunks that are stored, all of which have texts. */
export function recountPage({ chunks, isStored }: PartlyStored): RecountedPage {
  const snippets = unpackChunks(chunks, (i) => isStored[i] === true).map(
    ({ terms: _, lengths: __, wordVector: ___, toCode: ____, ...snippet }) => snippet,
  )
  const { chunks: analysed, counts } = analyseSnippets(snippets, snippets[0]?.path ?? '')
  const stored = analysed.values()
  const all = chunks.hashes.map((hash, i) => (isStored[i] ? (stored.next().value as AnalysedChunk) : { hash }))
  return { chunks: packChunks(all), counts }
}
