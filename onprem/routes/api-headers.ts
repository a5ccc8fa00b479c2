import { createMiddleware } from 'hono/factory'

/** Paths of the API, which no page has. */
export const apiPath = /^\/(api|mcp|metrics|scim|\.well-known)(\/|$)/

/**
 * Keeps answers of the API out of caches and of other sites' pages, and has browsers believe their type. Pages of the origins in
 * `mcp.allowedOrigins` can still read `/mcp`: the resource policy concerns only requests without CORS.
 */
export const apiHeaders = () =>
  createMiddleware(async (c, next) => {
    await next()
    if (!apiPath.test(c.req.path)) return
    c.header('x-content-type-options', 'nosniff')
    c.header('cross-origin-resource-policy', 'same-origin')
    if (!c.res.headers.get('cache-control')?.includes('no-store')) c.header('cache-control', 'no-store')
  })

/** Shows browsers the API reference at the address of the API itself, which has no route. */
export const toApiReference = (base: string) =>
  createMiddleware(async (c, next) => {
    const isBrowser = c.req.method === 'GET' && (c.req.header('accept') ?? '').includes('text/html')
    return isBrowser ? c.redirect(`${base}/api-reference`) : next()
  })
