import type { Hosted } from '../../../functions/hosted.ts'
import { measuredStore } from '../../../shared/bundle/measured-store.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import type { SnippetStore } from '../../../shared/search/rows/snippet-store.ts'
import { packStatistics } from '../../../shared/search/statistics/pack-statistics.ts'
import { statisticsBuilder } from '../../../shared/search/statistics/statistics-builder.ts'
import { makeRows } from './make-rows.ts'

/** Writes a generation and returns its totals. */
export type WriteContent = (
  store: Pick<SnippetStore, 'write'>,
  generation: string,
) => Promise<{ snippets: number; tokens: number }>

/** Adds a library as a worker does: writes its generation and publishes it in the catalog. Returns its size in a bundle. */
export async function addBenchLibrary({ catalog, snippets }: Hosted, address: string, write: WriteContent): Promise<number> {
  const id = parseLibraryId(address)
  const sourceUrl = `https://github.com${address}`
  const generation = address.slice(1).replace('/', '-')
  const store = measuredStore(snippets)
  await catalog.add({ id, sourceUrl, private: false })
  await catalog.begin(id, 'bench')
  const parsing = catalog.parsing(id, { worker: 'bench', bundleBytes: store.bundleBytes })
  await parsing.reserve(generation, 'bench')
  const content = await write(store, generation)
  const facts = {
    id: address,
    title: id.repo,
    description: '',
    branch: 'main',
    sourceUrl,
    private: false,
    aliases: [],
    settings: {},
  }
  await parsing.publish(facts, [
    { version: '', ref: 'main', generation, commit: 'c0ffee', rules: [], format: snippets.format, codeSnippets: 0, ...content },
  ])
  await catalog.end(id, 'bench', {})
  return store.bundleBytes(generation)
}

/** Generated snippets with empty word statistics: they can be read, but not found. */
export const madeUp =
  (count: number, seed: number): WriteContent =>
  async (store, generation) => {
    const writer = await store.write(generation)
    const sum = { snippets: 0, tokens: 0 }
    for (const rows of makeRows(count, seed)) {
      await writer.add(rows)
      sum.snippets += rows.length
      sum.tokens += rows.reduce((tokens, row) => tokens + row.tokens, 0)
    }
    await writer.finish(packStatistics(statisticsBuilder().total()))
    return sum
  }
