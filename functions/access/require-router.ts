import { createHash, timingSafeEqual } from 'node:crypto'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'

/** The Router sets this header and overwrites the value of a caller. */
const originSecretHeader = 'x-origin-secret'

/**
 * Rejects requests that did not come through the Router. The functions can be reached without it, but then the caller can set the headers
 * about the viewer. Two secrets are valid while one replaces the other; undefined if there is no Router. Calls `onForeign` for each rejected request.
 */
export const requireRouter = (secrets: readonly string[] | undefined, onForeign: () => void) => {
  const digests = secrets?.filter((secret) => secret !== '').map(digest)
  return createMiddleware(async (c, next) => {
    if (digests) {
      const sent = digest(c.req.header(originSecretHeader) ?? '')
      if (!digests.some((digest) => timingSafeEqual(digest, sent))) {
        onForeign()
        throw new AppError('forbidden', 'This address cannot be called directly. Send the request to the address of the service.')
      }
    }
    await next()
  })
}

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()
