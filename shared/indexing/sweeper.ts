import type { Log } from '../log.ts'
import type { SnippetStore } from '../search/rows/snippet-store.ts'
import type { SweptCatalog } from './indexing-catalog.ts'

type SweepPorts = {
  catalog: SweptCatalog
  snippets: Pick<SnippetStore, 'generations' | 'drop'>
  log: Log
  now(): Date
}

/**
 * Returns a function that deletes the generations that are neither served nor written. Calls run one after the other. A generation that
 * cannot be deleted is logged once and left to the next call, like what remains after `signal` is aborted.
 */
export function sweeper({ catalog, snippets, log, now }: SweepPorts, retiredMs: number): (signal?: AbortSignal) => Promise<void> {
  const stuck = new Set<string>()
  const dropped = async (generation: string) => {
    try {
      await snippets.drop(generation)
      return true
    } catch (error) {
      if (!stuck.has(generation)) log.warn({ error, generation }, 'unused content cannot be deleted')
      stuck.add(generation)
      return false
    }
  }
  const sweep = async (signal?: AbortSignal) => {
    const retiredBefore = new Date(now().getTime() - retiredMs)
    for (const generation of await catalog.unowned(await snippets.generations(), retiredBefore)) {
      if (signal?.aborted) return
      if (await dropped(generation)) await catalog.forget(generation)
    }
  }
  let last = Promise.resolve()
  return (signal) => {
    const next = () => sweep(signal)
    last = last.then(next, next)
    return last
  }
}
