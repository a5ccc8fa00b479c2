import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { secureHeaders } from 'hono/secure-headers'
import type { CallerEnv } from '../access/caller.ts'
import { errorPage } from './error-page.ts'

/** `cacheControl` is that of a response which may be shared. */
export type PagesEnv = CallerEnv & { Variables: { cacheControl?: string } }

/** The header of a page that caches may share. */
export const shared = 'public, max-age=0, s-maxage=60'

/** Paths of the API, whose responses are not changed. */
const apiPath = /^\/(api|mcp|\.well-known|cli\.mjs)(\/|$)/

const yearSeconds = 31_536_000

/**
 * Gives pages the headers of pages, and turns an error of the API's form into a page if a browser asked. `site` returns the address of the
 * service.
 */
export function asPage(site: (c: Context) => string, isHttps: boolean) {
  const headers = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
    // Other sites show badges.
    crossOriginResourcePolicy: 'cross-origin',
    xFrameOptions: 'DENY',
    strictTransportSecurity: isHttps && `max-age=${yearSeconds}`,
    referrerPolicy: 'same-origin',
  })
  return createMiddleware(async (c, next) => {
    if (!isForPage(c)) return next()
    await headers(c, next)
    if (c.res.status < 400 || !isJson(c.res) || !acceptsHtml(c)) return
    const { status, headers: given } = c.res
    const { message } = (await c.res.json()) as { message: string }
    c.res = undefined
    const kept = [...given].filter(([name]) => !/^content-(type|length)$/.test(name))
    c.res = await c.html(errorPage(site(c), status, message), status as 404, Object.fromEntries(kept))
  })
}

const isForPage = ({ req }: Context): boolean => /^(GET|HEAD|POST)$/.test(req.method) && !apiPath.test(req.path)
const isJson = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('application/json') === true
const acceptsHtml = (c: Context): boolean => (c.req.header('accept') ?? '').includes('text/html')
