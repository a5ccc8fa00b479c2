import { createMiddleware } from 'hono/factory'
import { AppError } from '../../../shared/errors.ts'

const reading = ['GET', 'HEAD']

/** Rejects writes that no page of this dashboard sent. Browsers send an Origin header with every write. */
export const ownOrigin = (url: string) =>
  createMiddleware(async (c, next) => {
    if (!reading.includes(c.req.method) && c.req.header('origin') !== new URL(url).origin)
      throw new AppError('forbidden', `Changes are only accepted from pages of ${new URL(url).origin}.`)
    await next()
  })
