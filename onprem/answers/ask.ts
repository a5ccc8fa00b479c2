import { type LibraryId, libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { ServedVersion } from '../../shared/search/catalog.ts'
import { type Context, getContext } from '../../shared/search/get-context.ts'
import { topicsOf } from '../../shared/usage/topics-of.ts'
import type { App } from '../app.ts'
import type { Asker } from '../usage/asker.ts'

type ContextInput = Parameters<typeof getContext>[1]

/** The best snippets of a library for a question, counted as one use of it. Throws what `getContext` throws. */
export async function askContext(app: App, input: ContextInput, asker: Asker | undefined): Promise<Context> {
  const answered: { by?: ServedVersion } = {}
  const catalog = {
    async served(id: LibraryId) {
      answered.by = await app.catalog.served(id)
      return answered.by
    },
  }
  const found = await getContext({ ...app, catalog }, input)
  if (answered.by && asker) {
    const { library, version } = answered.by
    await app.usage.record({
      ...asker,
      library: libraryKey(parseLibraryId(library.id)),
      version,
      topics: topicsOf(found.snippets),
    })
  }
  return found
}
