import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { FlaggedList, FlaggedQuery, listFlagged } from '../../shared/search/pages/list-flagged.ts'
import {
  LibraryInPath,
  listPages,
  PageInPath,
  PageList,
  PageSnippets,
  PagesQuery,
  pageSnippets,
  SnippetsQuery,
  snippetText,
} from '../../shared/search/pages/list-pages.ts'
import type { PagesPorts } from '../../shared/search/pages/served-pages.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { amongVisible, type VisiblePorts } from '../access/among-visible.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'

/** The content of a library by page. */
export const pageRoutes = (ports: VisiblePorts & PagesPorts & { snippets: Pick<SnippetStore, 'flagged'> }) =>
  new Hono<CallerEnv>()
    .get(
      '/projects/:owner/:repo/pages',
      describeRoute({
        operationId: 'listPages',
        tags: ['Projects'],
        summary: 'List the pages of a library',
        description:
          'Lists the files that the snippets of a library or of one of its versions come from, in reading order: a folder before those in it, its overview first.',
        responses: { 200: json(PageList, 'One page of the list') },
        errors: [404],
      }),
      requireRight(ports, 'read'),
      input('param', LibraryInPath),
      input('query', PagesQuery),
      async (c) =>
        c.json(await amongVisible(ports, c.get('caller'), (seen) => listPages(seen, c.req.valid('param'), c.req.valid('query')))),
    )
    .get(
      '/projects/:owner/:repo/flagged',
      describeRoute({
        operationId: 'listFlagged',
        tags: ['Projects'],
        summary: 'List the passages that may attack agents',
        description: 'Lists the flagged passages of a library or of one of its versions, each with the reason.',
        responses: { 200: json(FlaggedList, 'One page of the list') },
        errors: [404],
      }),
      requireRight(ports, 'read'),
      input('param', LibraryInPath),
      input('query', FlaggedQuery),
      async (c) =>
        c.json(
          await amongVisible(ports, c.get('caller'), (seen) => listFlagged(seen, c.req.valid('param'), c.req.valid('query'))),
        ),
    )
    .get(
      '/projects/:owner/:repo/pages/:path{.+}',
      describeRoute({
        operationId: 'getPageSnippets',
        tags: ['Projects'],
        summary: 'Get the snippets of a page',
        description: 'Returns the snippets of one file in their order, as JSON or as Markdown.',
        responses: {
          200: {
            description: 'The page with one page of its snippets',
            content: { 'application/json': { schema: PageSnippets }, 'text/plain': { schema: z.string() } },
          },
        },
        errors: [404],
      }),
      requireRight(ports, 'read'),
      input('param', PageInPath),
      input('query', SnippetsQuery),
      async (c) => {
        const query = c.req.valid('query')
        const page = await amongVisible(ports, c.get('caller'), (seen) => pageSnippets(seen, c.req.valid('param'), query))
        return query.type === 'txt' ? c.text(snippetText(page)) : c.json(page)
      },
    )
