import { createMiddleware } from 'hono/factory'
import { knownIdOf } from '../../shared/api/known-ids.ts'
import { isLibraryId, libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { type LibraryChecks, lastCheckedAt } from '../store/library-checks.ts'

type CheckedHeaderPorts = { catalog: Pick<InstallCatalog, 'find'>; checks: Pick<LibraryChecks, 'of'> }

/** Says in `X-Carrel-Checked` when the library of an answer was last compared with its source, in ISO 8601. */
export const checkedHeader = ({ catalog, checks }: CheckedHeaderPorts) =>
  createMiddleware(async (c, next) => {
    await next()
    const id = c.req.query('libraryId') ?? ''
    if (c.res.status !== 200 || !isLibraryId(id)) return
    const library = await knownIdOf(c, parseLibraryId(id))
    const stored = catalog.find(library)
    const checkedAt = stored && lastCheckedAt(stored, checks.of(libraryKey(library)))
    if (checkedAt !== undefined) c.header('x-carrel-checked', checkedAt)
  })
