import { type Context, Hono } from 'hono'
import { etag } from 'hono/etag'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { knownIdOf } from '../../shared/api/known-ids.ts'
import { AppError } from '../../shared/errors.ts'
import { callerSignal } from '../../shared/http/caller-signal.ts'
import { isLibraryId, type LibraryId, parseLibraryId } from '../../shared/library.ts'
import { shortened } from '../../shared/text/excerpt.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import { requestUsage, viewerAddress } from '../access/request-usage.ts'
import { isReservedOwner } from '../catalog/reserved-owners.ts'
import type { Hosted } from '../hosted.ts'
import { anonymous } from './anonymous.ts'
import { asset } from './assets.ts'
import { libraryBadge, missingBadge } from './badge.ts'
import { homePage } from './home-page.ts'
import { libraryPage } from './library-page.ts'
import { LlmsQuery, libraryText } from './library-text.ts'
import { asPage, type PagesEnv, shared } from './page-headers.ts'
import type { Html } from './parts.ts'
import { publicLibraries, publicLibrary } from './public-libraries.ts'
import { siteOf } from './site.ts'
import { robots, sitemap } from './sitemap.ts'
import { takedownPages } from './takedown-routes.ts'
import { textNames, textPage } from './text-page.ts'

const forever = 'public, max-age=31536000, immutable'

const Words = z
  .string()
  .optional()
  .transform((words) => words?.trim() || undefined)
const HomeQuery = z.object({ q: Words })
const LibraryQuery = z.object({
  q: Words,
  page: z.string().max(4096).optional(),
  folder: z.string().max(4096).optional(),
  from: z.coerce.number().int().min(0).max(1_000_000).catch(0),
})
const SitemapQuery = z.object({ file: z.coerce.number().int().min(1).max(100_000).optional() })

/**
 * The pages for everybody. They show public libraries only and ignore keys, so that caches may share them. They are HTML of the server and
 * work without scripts.
 */
export function publicPages(hosted: Hosted) {
  const behindRouter = hosted.originSecrets !== undefined
  const site = (c: Context) => siteOf(c, behindRouter)
  /** Questions cost as much as on the API. */
  const admit = (c: Context) => hosted.rateLimits.request(anonymous, viewerAddress(c, behindRouter))
  const usage = (c: Context) => {
    c.set('caller', anonymous)
    return requestUsage(hosted, c, 'http')
  }

  async function showLibrary(c: Context<PagesEnv>, id: LibraryId, query: z.infer<typeof LibraryQuery>) {
    const { q: question, ...asked } = query
    if (question !== undefined) await admit(c)
    const request = usage(c)
    const ports = { ...hosted, usage: request && { ...request, surface: 'page' as const } }
    const page = await libraryPage(ports, { site: site(c), id, question, ...asked }, callerSignal(c.req.raw))
    return question === undefined ? cachedPage(c, page) : c.html(page)
  }

  async function showText(c: Context<PagesEnv>, id: LibraryId, query: z.infer<typeof LlmsQuery>) {
    await admit(c)
    const text = await libraryText({ ...hosted, usage: usage(c) }, { site: site(c), id, ...query }, callerSignal(c.req.raw))
    return c.text(text)
  }

  const pages = new Hono<PagesEnv>()
  pages.use('*', asPage(site, behindRouter))
  // Weak, so that a 304 has the ETag of a response that was compressed.
  pages.use('*', etag({ weak: true }))
  for (const name of textNames) pages.get(`/${name}`, async (c) => cachedPage(c, await textPage(hosted, { site: site(c), name })))
  pages.route('/', takedownPages(hosted, site))
  return pages
    .get('/', input('query', HomeQuery), async (c) => {
      const { q: words } = c.req.valid('query')
      if (words !== undefined) await admit(c)
      return cachedPage(c, await homePage(hosted, { site: site(c), words }, callerSignal(c.req.raw)))
    })
    .get('/robots.txt', (c) => cached(c, robots(site(c)), 'text/plain; charset=utf-8'))
    .get('/sitemap.xml', input('query', SitemapQuery), async (c) => {
      const xml = sitemap(site(c), await publicLibraries(hosted), c.req.valid('query').file)
      if (xml === undefined) throw new AppError('not_found', 'The sitemap has no such file.')
      return cached(c, xml, 'application/xml; charset=utf-8')
    })
    .get('/assets/:name', (c, next) => {
      const file = asset(c.req.param('name'))
      return file ? cached(c, file.content, file.type, forever) : next()
    })
    .get('/badge/:owner/:file{.+\\.svg}', async (c) => {
      const { owner, file } = c.req.param()
      const library = await badgeLibrary(hosted, c, owner, file.slice(0, -'.svg'.length)).catch(ifMissing)
      if (library) return cached(c, libraryBadge(library), 'image/svg+xml; charset=utf-8')
      return c.body(missingBadge(), 404, { 'content-type': 'image/svg+xml; charset=utf-8' })
    })
    .get('/:owner/:repo/llms.txt', input('query', LlmsQuery), async (c, next) => {
      const { owner, repo } = c.req.param()
      return isReservedOwner(owner) ? next() : showText(c, await idOf(c, owner, repo), c.req.valid('query'))
    })
    .get('/:owner/:repo/:version/llms.txt', input('query', LlmsQuery), async (c, next) => {
      const { owner, repo, version } = c.req.param()
      return isReservedOwner(owner) ? next() : showText(c, await idOf(c, owner, repo, version), c.req.valid('query'))
    })
    .get('/:owner/:repo', input('query', LibraryQuery), async (c, next) => {
      const { owner, repo } = c.req.param()
      return isReservedOwner(owner) ? next() : showLibrary(c, await idOf(c, owner, repo), c.req.valid('query'))
    })
    .get('/:owner/:repo/:version', input('query', LibraryQuery), async (c, next) => {
      const { owner, repo, version } = c.req.param()
      return isReservedOwner(owner) ? next() : showLibrary(c, await idOf(c, owner, repo, version), c.req.valid('query'))
    })
}

function cachedPage(c: Context<PagesEnv>, page: Html) {
  c.set('cacheControl', shared)
  return c.html(page)
}

function cached(c: Context<PagesEnv>, body: string | Uint8Array<ArrayBuffer>, type: string, cacheControl = shared) {
  c.set('cacheControl', cacheControl)
  return c.body(body, 200, { 'content-type': type })
}

/** Throws library_not_found for a path that is no id. */
async function idOf(c: Context, owner: string, repo: string, version?: string): Promise<LibraryId> {
  const text = `/${owner}/${repo}${version === undefined ? '' : `/${version}`}`
  if (isLibraryId(text)) return knownIdOf(c, parseLibraryId(text))
  throw new AppError('library_not_found', `There is no public library ${shortened(visibleText(text), 100)} here.`)
}

const badgeLibrary = async (hosted: Pick<Hosted, 'names'>, c: Context, owner: string, repo: string) =>
  publicLibrary(hosted, await idOf(c, owner, repo))

/** Rethrows every error but that for a missing library. */
function ifMissing(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'library_not_found') throw error
}
