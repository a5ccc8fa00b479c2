import type { Context } from 'hono'
import { AppError } from '../../shared/errors.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { isOwnOrigin } from '../accounts/is-own-origin.ts'

type Rules = { withoutOrigin: 'own' | 'foreign'; publicUrl: PublicUrl | undefined }

/**
 * Throws forbidden if a page of another origin sent the request. Browsers send an Origin header with every write, so a request without one
 * does not come from a page of this server; `withoutOrigin` decides how it is treated. A JSON content type proves nothing either.
 */
export function rejectForeignPage(c: Context, { withoutOrigin, publicUrl }: Rules): void {
  const origin = c.req.header('origin')
  if (origin === undefined ? withoutOrigin === 'own' : isOwnOrigin(c, origin, publicUrl)) return
  throw new AppError(
    'forbidden',
    'Sign-ins and changes with a session are only accepted from pages of this server, under the address that the browser shows. Behind a reverse proxy, PUBLIC_URL must name that address. Send an API key instead.',
  )
}
