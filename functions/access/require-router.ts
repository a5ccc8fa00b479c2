import { createHash, timingSafeEqual } from 'node:crypto'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'

/** The header that the Router adds, and overwrites where a caller sends it. */
const originSecretHeader = 'x-origin-secret'

/**
 * Refuses what did not come through the Router, since the functions behind it can be reached by themselves, and headers about the viewer
 * are CloudFront's only then. Two secrets count while one replaces the other; undefined where no Router stands in front.
 */
export const requireRouter = (secrets: readonly string[] | undefined) => {
  const digests = secrets?.filter((secret) => secret !== '').map(digest)
  return createMiddleware(async (c, next) => {
    if (digests) {
      const sent = digest(c.req.header(originSecretHeader) ?? '')
      if (!digests.some((known) => timingSafeEqual(known, sent)))
        throw new AppError('forbidden', 'This address answers only through the service it belongs to.')
    }
    await next()
  })
}

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()
