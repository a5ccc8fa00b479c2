import type { Context } from 'hono'
import { AppError } from '../../shared/errors.ts'
import { isOwnOrigin } from '../accounts/is-own-origin.ts'

/**
 * Throws forbidden if a page of another origin sent the request. Browsers send an Origin header with every write, so a request without one
 * does not come from a page of this server; `withoutOrigin` decides how it is treated. A JSON content type proves nothing either.
 */
export function rejectForeignPage(c: Context, { withoutOrigin }: { withoutOrigin: 'own' | 'foreign' }): void {
  const origin = c.req.header('origin')
  if (origin === undefined ? withoutOrigin === 'own' : isOwnOrigin(c, origin)) return
  throw new AppError(
    'forbidden',
    'Sign-ins and changes with a session are only accepted from pages of this server, under the address that the browser shows. Send an API key instead.',
  )
}
