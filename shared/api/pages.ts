import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { callerSignal } from '../http/caller-signal.ts'
import { type LibraryId, parseLibraryId, withVersion } from '../library.ts'
import { wholeNumberOr } from '../schemas/whole-number.ts'
import { outlineText } from '../search/pages/list-outline.ts'
import type { PageReader } from '../search/pages/page-reader.ts'
import { pageJson, pageText } from '../search/pages/read-page.ts'
import { describeRoute, type RouteAdditions } from './describe-route.ts'
import { input } from './input.ts'

/** Two segments, because a third could be a version or "pages". */
const InPath = z.object({ owner: z.string(), repo: z.string().describe('The repository, also as repo@version') })
const OnePage = InPath.extend({ path: z.string().max(4096).describe('The path of a page, from the list') })

const shared = {
  version: z.string().min(1).max(200).optional().describe('A version of the library; its default content if absent'),
  type: z.enum(['json', 'txt']).default('json').describe('txt for a model to read, json for a program'),
}
const OutlineQuery = z.object({
  folder: z.string().max(4096).optional().describe('Only the pages below this folder'),
  ...shared,
})
const PageQuery = z.object({
  section: z.string().max(1000).optional().describe('Only the section with this heading, or with headings joined by " > "'),
  tokens: wholeNumberOr(5000, 1000, 50_000).describe('Maximum length of the answer; a token is four characters'),
  cursor: z.string().max(100).optional().describe('The cursor of the answer before, to continue'),
  ...shared,
})

const content = {
  version: z.string().optional().describe('Tag or branch'),
  commitDate: z.iso.datetime().optional().describe('Date of its commit'),
}
const OutlineAnswer = z
  .object({
    library: z.string(),
    title: z.string(),
    ...content,
    folder: z.string().optional(),
    total: z.object({ pages: z.int(), snippets: z.int(), tokens: z.int() }),
    pages: z.array(z.object({ path: z.string(), title: z.string(), url: z.string(), snippets: z.int(), tokens: z.int() })),
    folders: z
      .array(z.object({ path: z.string(), pages: z.int(), tokens: z.int() }))
      .describe('Folders whose pages are not listed, because there are more than 200'),
    omitted: z.int().describe('Number of pages and folders beyond the first 200'),
  })
  .meta({ id: 'Outline' })
const PageAnswer = z
  .object({
    library: z.string(),
    title: z.string(),
    ...content,
    path: z.string(),
    pageTitle: z.string(),
    url: z.string(),
    tokens: z.int().describe('Tokens of the whole page'),
    content: z.string().describe('Markdown'),
    cursor: z.string().optional().describe('Continues the page; absent at its end'),
  })
  .meta({ id: 'PageContent' })

/** `signal` aborts when the caller disconnects. */
export type PagesRoutesPorts = { pages(c: Context, signal: AbortSignal): PageReader }

export const pagesRoutes = ({ pages }: PagesRoutesPorts, access: MiddlewareHandler, own: RouteAdditions = {}) =>
  new Hono()
    .get(
      '/v2/libs/:owner/:repo/pages',
      describeRoute({
        operationId: 'listPagesOfLibrary',
        tags: ['Context'],
        summary: 'List the pages of a library',
        description:
          'The outline of a library or of one of its folders, with tokens. Folders stand for their pages if there are many.',
        responses: answers(OutlineAnswer, 'The outline', own.headers),
        errors: [404, 503, ...(own.errors ?? [])],
      }),
      access,
      input('param', InPath),
      input('query', OutlineQuery),
      async (c) => {
        const { version, type, folder } = c.req.valid('query')
        const asked = { libraryId: idOf(c.req.valid('param'), version), folder }
        const outline = await pages(c, callerSignal(c.req.raw)).outline(asked)
        return type === 'txt' ? c.text(outlineText(outline)) : c.json(outline)
      },
    )
    .get(
      '/v2/libs/:owner/:repo/pages/:path{.+}',
      describeRoute({
        operationId: 'readPage',
        tags: ['Context'],
        summary: 'Read a page of a library',
        description: 'A page or one of its sections in its order, within a token budget. The cursor continues it.',
        responses: answers(PageAnswer, 'The page, or the part of it that fits', own.headers),
        errors: [404, 503, ...(own.errors ?? [])],
      }),
      access,
      input('param', OnePage),
      input('query', PageQuery),
      async (c) => {
        const { version, type, ...asked } = c.req.valid('query')
        const { path, ...library } = c.req.valid('param')
        const page = await pages(c, callerSignal(c.req.raw)).page({ libraryId: idOf(library, version), path, ...asked })
        return type === 'txt' ? c.text(pageText(page)) : c.json(pageJson(page))
      },
    )

const answers = (schema: z.ZodType, description: string, headers?: z.ZodObject) => ({
  200: {
    description,
    ...(headers && { headers }),
    content: { 'application/json': { schema }, 'text/plain': { schema: z.string() } },
  },
})

const idOf = ({ owner, repo }: z.infer<typeof InPath>, version: string | undefined): LibraryId =>
  withVersion([parseLibraryId(`/${owner}/${repo}`)], version)[0] as LibraryId
