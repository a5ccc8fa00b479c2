import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { NONCE, secureHeaders } from 'hono/secure-headers'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'

type WebPagesPorts = {
  /** The folder of the built web UI. */
  webFiles: string
  publicUrl: PublicUrl | undefined
  /** True if the first sign-in is `admin` with the password `admin`. */
  hasPublicPassword(): boolean
}

/** Paths of the API, which no page has. */
export const apiPath = /^\/(api|mcp|metrics|\.well-known)(\/|$)/
const asset = /^\/assets\/|^\/[\w-]+\.(svg|m?js|webmanifest)$/

/** Files whose address changes with their content. */
const versioned = /\/assets\/|\/first-theme\.js(\.|$)/

/**
 * Serves the built web UI: its files, its page at `/`, and at each other path that a browser opens. Styles need a nonce, because Mantine
 * writes style elements; scripts come only from files.
 */
export function webPages({ webFiles, publicUrl, hasPublicPassword }: WebPagesPorts) {
  const base = publicUrl?.path ?? ''
  const headers = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", NONCE],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      manifestSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: 'DENY',
    strictTransportSecurity: false,
    referrerPolicy: 'no-referrer',
  })
  let served: ReturnType<typeof serveStatic> | undefined
  // It prints a warning if the web UI is not built, which the command line does not need.
  const files: typeof served = (c, next) => {
    served ??= serveStatic({
      root: webFiles,
      precompressed: true,
      onFound: (path, context) =>
        context.header('cache-control', versioned.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache'),
    })
    return served(c, next)
  }
  const page = createMiddleware(async (c, next) =>
    asset.test(c.req.path) ? files(c, next) : sendPage(c, webFiles, { base, isNew: hasPublicPassword() }),
  )
  const pages = every(headers, page)
  return createMiddleware(async (c, next) => (isForPage(c) ? pages(c, next) : next()))
}

function isForPage(c: Context): boolean {
  const { method, path } = c.req
  if ((method !== 'GET' && method !== 'HEAD') || apiPath.test(path)) return false
  return asset.test(path) || (c.req.header('accept') ?? '').includes('text/html') || (path === '/' && prefersPage(c))
}

/** curl, uptime checks and link previews accept everything, or send no type. API clients name a type. */
const prefersPage = (c: Context): boolean =>
  accepts(c, { header: 'Accept', supports: ['text/html', 'application/json', 'text/event-stream'], default: 'text/html' }) ===
  'text/html'

async function sendPage(c: Context, webFiles: string, { base, isNew }: { base: string; isNew: boolean }): Promise<Response> {
  c.header('cache-control', 'no-store')
  const page = await readFile(join(webFiles, 'index.html'), 'utf8').catch(() => undefined)
  if (page === undefined) return c.text('The web UI is not built. Start the server with: npm start', 503)
  return c.html(
    page
      .replaceAll('%NONCE%', c.get('secureHeadersNonce') ?? '')
      .replaceAll('%BASE%', base)
      .replaceAll('%NEW%', String(isNew))
      .replaceAll('"./', `"${base}/`),
  )
}
