import { createMiddleware } from 'hono/factory'

/** The response to HEAD has no body. Hono makes that of GET, and drops it without an end: a file that it streams would stay open. */
export const endHeadBodies = () =>
  createMiddleware(async (c, next) => {
    await next()
    if (c.req.method === 'HEAD') await c.res.body?.cancel()
  })
