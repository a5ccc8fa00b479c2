import { createMiddleware } from 'hono/factory'
import { isLibraryId, libraryKey, parseLibraryId } from '../../shared/library.ts'
import { withTimeout } from '../../shared/time/with-timeout.ts'
import type { LibraryChecks } from '../freshness/library-checks.ts'

/** The question is answered meanwhile, so a read that takes longer is not worth the wait. */
const maxWaitMs = 200

/** Says in `X-Carrel-Checked` when the library of an answer was last compared with its repository, in ISO 8601. */
export const checkedHeader = ({ checks }: { checks: Pick<LibraryChecks, 'find'> }) =>
  createMiddleware(async (c, next) => {
    const id = c.req.query('libraryId') ?? ''
    const reading = isLibraryId(id) ? checks.find(libraryKey(parseLibraryId(id))).catch(() => undefined) : undefined
    await next()
    if (c.res.status !== 200 || !reading) return
    const check = await withTimeout('The check', maxWaitMs, () => reading).catch(() => undefined)
    if (check?.checkedAt !== undefined) c.header('x-carrel-checked', check.checkedAt)
  })
