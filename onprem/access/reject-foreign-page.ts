import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { isOwnOrigin } from '../../shared/http/is-own-origin.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'

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

/**
 * Rejects a download that the page of another site began, as far as the browser says so: a link or a frame sends the cookie of a session without
 * an Origin header. Pages of this server send no Referer.
 */
export const rejectForeignSite = ({ publicUrl }: Pick<Rules, 'publicUrl'>) =>
  createMiddleware(async (c, next) => {
    const { origin, referer, 'sec-fetch-site': site = 'none' } = c.req.header()
    const pages = [origin, referer && (URL.parse(referer)?.origin ?? 'null')].filter((page) => page !== undefined)
    if (!['same-origin', 'none'].includes(site) || !pages.every((page) => isOwnOrigin(c, page, publicUrl)))
      throw new AppError(
        'forbidden',
        'Backups, support bundles and the audit log are only sent to pages of this server, not to those of another site.',
      )
    await next()
  })
