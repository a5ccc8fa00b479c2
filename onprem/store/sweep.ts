import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import type { ProjectCatalog } from './sqlite-catalog.ts'

type Ports = {
  catalog: Pick<ProjectCatalog, 'unowned' | 'forget'>
  snippets: Pick<SnippetStore, 'generations' | 'drop'>
  now(): Date
}

/** A function that deletes the generations nobody serves or writes, one call after the other. */
export function sweeper({ catalog, snippets, now }: Ports, retiredMs: number): () => Promise<void> {
  const sweep = async () => {
    const retiredBefore = new Date(now().getTime() - retiredMs)
    for (const generation of catalog.unowned(await snippets.generations(), retiredBefore)) {
      await snippets.drop(generation)
      catalog.forget(generation)
    }
  }
  let last = Promise.resolve()
  return () => {
    last = last.then(sweep, sweep)
    return last
  }
}
