import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import type { Context, Next } from 'hono'
import { accepts } from 'hono/accepts'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { NONCE, secureHeaders } from 'hono/secure-headers'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

type WebPages = {
  /** The folder of the built web UI. */
  webFiles: string
  /** Matches the paths of the API, which no page has. */
  apiPath: RegExp
  /** The path below which the server is reached; empty by default. */
  base?: string
  /** The values that `pageMeta` reads, for a page that is sent now; none by default. */
  signInValues?: () => { NEW: string; COMMAND: string }
}

const asset = /^\/assets\/|^\/[\w-]+\.(svg|m?js|webmanifest)$/

/** Files whose address changes with their content. */
const versioned = /^\/assets\/|^\/first-theme\.js$/

/** Styles need a nonce, because Mantine writes style elements; scripts come only from files. */
const pageHeaders = secureHeaders({
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

/** Serves the built web UI: its files, its page at `/`, and at each other path that a browser opens. */
export function webPages({ webFiles, apiPath, base = '', signInValues = () => ({ NEW: '', COMMAND: '' }) }: WebPages) {
  let served: ReturnType<typeof serveStatic> | undefined
  // It prints a warning if the web UI is not built, which the command line does not need.
  const files = async (c: Context, next: Next) => {
    served ??= serveStatic({ root: webFiles, precompressed: true })
    const file = await served(c, next)
    // Behind `every`, a missing file has the context of the request instead of a response.
    if (!(file instanceof Response)) return
    const isKept = file.ok && versioned.test(c.req.path)
    file.headers.set('cache-control', isKept ? 'public, max-age=31536000, immutable' : 'no-cache')
    return file
  }
  const page = createMiddleware(async (c, next) => {
    if (asset.test(c.req.path)) return files(c, next)
    return sendPage(c, await readPage(webFiles), { BASE: base, ...signInValues() })
  })
  const pages = every(pageHeaders, page)
  return createMiddleware(async (c, next) => (!apiPath.test(c.req.path) && isForPage(c) ? pages(c, next) : next()))
}

/**
 * Shows browsers the page instead of an error of the paths that follow, with the status of the error. The page reads the error's message with
 * `pageMeta('failure')`.
 */
export const failurePages = (webFiles: string) =>
  createMiddleware(async (c, next) => {
    await next()
    const { status } = c.res
    const page = status >= 400 && acceptsHtml(c) ? await readPage(webFiles) : undefined
    if (page === undefined) return
    const { message } = (await c.res.clone().json()) as { message: string }
    // The message of a missing path repeats it, and anybody can link to a path that says something.
    const failure = status === 404 ? '' : escapeHtml(message)
    await pageHeaders(c, async () => {
      c.res = await sendPage(c, page, { FAILURE: failure }, status as ContentfulStatusCode)
    })
  })

function isForPage(c: Context): boolean {
  const { method, path } = c.req
  if (method !== 'GET' && method !== 'HEAD') return false
  return asset.test(path) || acceptsHtml(c) || (path === '/' && prefersPage(c))
}

const acceptsHtml = (c: Context): boolean => (c.req.header('accept') ?? '').includes('text/html')

/** curl, uptime checks and link previews accept everything, or send no type. API clients name a type. */
const prefersPage = (c: Context): boolean =>
  accepts(c, { header: 'Accept', supports: ['text/html', 'application/json', 'text/event-stream'], default: 'text/html' }) ===
  'text/html'

const readPage = (webFiles: string): Promise<string | undefined> =>
  readFile(join(webFiles, 'index.html'), 'utf8').catch(() => undefined)

type Values = { BASE?: string; NEW?: string; COMMAND?: string; FAILURE?: string }

/** The values are those of attributes. */
async function sendPage(c: Context, page: string | undefined, values: Values, status: ContentfulStatusCode = 200) {
  c.header('cache-control', 'no-store')
  if (page === undefined) return c.text('The web UI is not built. Start the server with: npm start', 503)
  const written: Values & { NONCE: string } = { ...values, NONCE: c.get('secureHeadersNonce') ?? '' }
  const filled = page.replace(/%([A-Z]+)%/g, (_, name: keyof typeof written) => written[name] ?? '')
  return c.html(filled.replaceAll('"./', `"${values.BASE ?? ''}/`), status)
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
