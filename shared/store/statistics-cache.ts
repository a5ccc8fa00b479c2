import { LRUCache } from 'lru-cache'
import type { LibraryStatistics } from '../search/statistics/statistics.ts'

const maxBytes = 64 * 1024 * 1024

/** The statistics of the generations that were used last. */
export type StatisticsCache = {
  /** Shares one read between concurrent callers. Caches the result unless the generation was forgotten meanwhile. */
  get(generation: string): Promise<LibraryStatistics>
  /** Call it when a read has failed, else its error is returned again. */
  forget(generation: string): void
  clear(): void
}

export function statisticsCache(read: (generation: string) => Promise<LibraryStatistics>): StatisticsCache {
  const cached = new LRUCache<string, LibraryStatistics>({
    maxSize: maxBytes,
    sizeCalculation: (statistics) => statistics.sizeBytes + 1,
  })
  const pending = new Map<string, Promise<LibraryStatistics>>()
  const readOnce = (generation: string): Promise<LibraryStatistics> => {
    const reading =
      pending.get(generation) ??
      read(generation).then((statistics) => {
        if (pending.delete(generation)) cached.set(generation, statistics)
        return statistics
      })
    pending.set(generation, reading)
    return reading
  }
  return {
    get: async (generation) => cached.get(generation) ?? (await readOnce(generation)),
    forget(generation) {
      cached.delete(generation)
      pending.delete(generation)
    },
    clear: () => cached.clear(),
  }
}
