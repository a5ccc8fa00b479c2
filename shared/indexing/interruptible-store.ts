import type { SnippetStore } from '../search/snippet-store.ts'
import { unlessAborted } from '../time/unless-aborted.ts'
import type { IndexingCatalog } from './indexing-catalog.ts'

type InterruptibleStorePorts = { snippets: Pick<SnippetStore, 'write'>; catalog: Pick<IndexingCatalog, 'hold'> }

/**
 * Building indexes cannot be interrupted, so a run that has to end leaves it behind: the generation is held until the building is over, and
 * then swept, since nobody points to it.
 */
export const interruptibleStore = (
  { snippets, catalog }: InterruptibleStorePorts,
  signal: AbortSignal,
): InterruptibleStorePorts['snippets'] => ({
  async write(generation) {
    const writer = await snippets.write(generation)
    let left = false
    return {
      written: writer.written,
      add: (rows) => writer.add(rows),
      async finish(statistics) {
        const built = writer.finish(statistics)
        catalog.hold(generation, built)
        await unlessAborted(built, signal).catch((error: unknown) => {
          left = signal.aborted
          throw error
        })
      },
      abort: async () => (left ? undefined : writer.abort()),
    }
  },
})
