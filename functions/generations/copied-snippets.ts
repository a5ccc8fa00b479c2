import type { Log } from '../../shared/log.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { generationCopies } from './generation-copies.ts'
import type { Part } from './list-path.ts'
import type { StoredFiles } from './stored-files.ts'

type Options = { folder: string; log: Pick<Log, 'warn'>; limits?: { maxBytes?: number; maxCopyBytes?: number } }

/** Answers questions from copies in `folder`, and from `stored` if there can be no copy. Whole generations are always read from `stored`. */
export function copiedSnippets(stored: SnippetStore, files: StoredFiles, options: Options): SnippetStore {
  const local = lanceSnippets(options.folder)
  const copies = generationCopies(files, { ...options, closeTables: local.drop })
  const read = async <T>(generation: string, part: Part, from: (store: SnippetStore) => Promise<T | undefined>) =>
    (await copies.use(generation, part, () => from(local))) ?? from(stored)
  return {
    ...stored,
    search: (generation, ...query) => read(generation, 'rows', (store) => store.search(generation, ...query)),
    searchVector: (generation, ...query) => read(generation, 'rows', (store) => store.searchVector(generation, ...query)),
    statistics: (generation) => read(generation, 'statistics', (store) => store.statistics(generation)),
    pages: (generation) => read(generation, 'rows', (store) => store.pages(generation)),
    pageSnippets: (generation, ...range) => read(generation, 'rows', (store) => store.pageSnippets(generation, ...range)),
    flagged: (generation, range) => read(generation, 'rows', (store) => store.flagged(generation, range)),
    async drop(generation) {
      await copies.forget(generation)
      await stored.drop(generation)
    },
    close() {
      local.close()
      stored.close()
    },
  }
}
