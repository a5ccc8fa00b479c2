import type { SnippetStore } from '../search/rows/snippet-store.ts'
import { unlessAborted } from '../time/unless-aborted.ts'
import type { IndexingCatalog } from './indexing-catalog.ts'

type InterruptibleStorePorts = { snippets: Pick<SnippetStore, 'write'>; catalog: Pick<IndexingCatalog, 'hold'> }

/**
 * Building an index cannot be interrupted. If the run must end meanwhile, it leaves the build running: the generation is held until the build
 * ends, then swept, since no version points to it.
 */
export const interruptibleStore = (
  { snippets, catalog }: InterruptibleStorePorts,
  signal: AbortSignal,
): InterruptibleStorePorts['snippets'] => ({
  async write(generation) {
    const writer = await snippets.write(generation)
    let isLeft = false
    return {
      written: writer.written,
      add: (rows) => writer.add(rows),
      async finish(statistics, origins) {
        const built = writer.finish(statistics, origins)
        catalog.hold(generation, built)
        await unlessAborted(built, signal).catch((error: unknown) => {
          isLeft = signal.aborted
          throw error
        })
      },
      abort: async () => (isLeft ? undefined : writer.abort()),
    }
  },
})
