import { unpackRows } from '../search/rows/pack-rows.ts'
import type { SnippetStore } from '../search/rows/snippet-store.ts'
import { snippetBytes } from './write-bundle.ts'

export type MeasuredStore = Pick<SnippetStore, 'write'> & {
  /** Size in a bundle of a generation that was written through this store; 0 for others. */
  bundleBytes(generation: string): number
}

/** A store that measures the size of generations in a bundle while they are written. */
export function measuredStore(snippets: Pick<SnippetStore, 'write'>): MeasuredStore {
  const bytesOf = new Map<string, number>()
  return {
    bundleBytes: (generation) => bytesOf.get(generation) ?? 0,
    async write(generation) {
      const writer = await snippets.write(generation)
      let [bytes, order] = [0, 0]
      return {
        ...writer,
        async add(rows) {
          for (const row of Array.isArray(rows) ? rows : unpackRows(rows)) bytes += snippetBytes(row, order++)
          bytesOf.set(generation, bytes)
          await writer.add(rows)
        },
      }
    },
  }
}
