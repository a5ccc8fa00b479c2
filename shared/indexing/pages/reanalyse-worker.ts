import { parentPort } from 'node:worker_threads'
import { analyseSnippets } from '../../reading/analyse-page.ts'
import { rowBuffers, rowsBuilder } from '../../search/rows/pack-rows.ts'
import { packChunks, sectionsOf } from '../../search/rows/packed-chunks.ts'
import type { PackedRows, StoredSnippet } from '../../search/rows/snippet-store.ts'
import { packStatistics } from '../../search/statistics/pack-statistics.ts'
import { statisticsBuilder } from '../../search/statistics/statistics-builder.ts'
import { pagePathOf } from '../../snippet.ts'

const statistics = statisticsBuilder()
const rowsOfPage = rowsBuilder()

function analyse(rows: StoredSnippet[]): PackedRows {
  const snippets = rows.map(({ id: _, page: __, ...snippet }) => snippet)
  const { chunks, counts } = analyseSnippets(snippets, snippets[0] ? pagePathOf(snippets[0]) : '')
  const packed = packChunks(chunks)
  const page = statistics.add(counts, sectionsOf(packed))
  for (const [place, hash] of packed.hashes.entries()) rowsOfPage.add(packed, place, page, statistics.isCopy(page, hash))
  return rowsOfPage.take()
}

parentPort?.on('message', (rows: StoredSnippet[] | 'finish') => {
  if (rows !== 'finish') {
    const analysed = analyse(rows)
    parentPort?.postMessage(analysed, rowBuffers(analysed))
    return
  }
  const bytes = packStatistics(statistics.total())
  parentPort?.postMessage(bytes, [bytes.buffer])
})
