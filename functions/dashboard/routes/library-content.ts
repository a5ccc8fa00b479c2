import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { ContextAnswer } from '../../../shared/api/context.ts'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { callerSignal } from '../../../shared/http/caller-signal.ts'
import type { LibraryId } from '../../../shared/library.ts'
import { ContextQuery } from '../../../shared/search/get-context.ts'
import { ChangeList, ChangesQuery, listChanges } from '../../../shared/search/pages/list-changes.ts'
import { FlaggedList, FlaggedQuery, listFlagged } from '../../../shared/search/pages/list-flagged.ts'
import {
  listPages,
  PageList,
  PageSnippets,
  PagesQuery,
  pageSnippets,
  SnippetsQuery,
  snippetText,
} from '../../../shared/search/pages/list-pages.ts'
import { renderJson } from '../../../shared/search/render-answer.ts'
import type { RequestUsage } from '../../../shared/usage/record-usage.ts'
import { countryOf } from '../../access/request-usage.ts'
import { type AnswerContextPorts, answerContext, visibleVersion } from '../../queries/answer-context.ts'
import { type GuardPorts, type MemberEnv, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { teamCaller } from '../access/team-caller.ts'
import { libraryInPath } from './library-in-path.ts'

const AskQuery = ContextQuery.pick({ query: true, tokens: true, docsLanguage: true }).extend({
  version: z.string().min(1).max(200).optional(),
})
const library = '/teamspaces/:team/libraries/:owner/:repo' as const

/** The pages of a library, and questions to it with an explanation of the answer. */
export const libraryContentRoutes = (ports: GuardPorts & AnswerContextPorts) =>
  new Hono<SessionEnv>()
    .get(
      `${library}/pages`,
      member(ports),
      describeRoute({
        operationId: 'listPages',
        tags: ['Libraries'],
        summary: 'List the pages of a library',
        description: 'In reading order: a folder before those in it, its overview first.',
        responses: { 200: json(PageList, 'The pages') },
      }),
      input('query', PagesQuery),
      async (c) => c.json(await listPages(pagesPorts(ports, c), await pathOf(c), c.req.valid('query'))),
    )
    .get(
      `${library}/flagged`,
      member(ports),
      describeRoute({
        operationId: 'listFlagged',
        tags: ['Libraries'],
        summary: 'List the passages that may attack agents',
        description: 'Each with the reason.',
        responses: { 200: json(FlaggedList, 'One page of the list') },
      }),
      input('query', FlaggedQuery),
      async (c) => c.json(await listFlagged(pagesPorts(ports, c), await pathOf(c), c.req.valid('query'))),
    )
    .get(
      `${library}/pages/:path{.+}`,
      member(ports),
      describeRoute({
        operationId: 'listSnippets',
        tags: ['Libraries'],
        summary: 'List the snippets of a page',
        description: 'As JSON, or as Markdown.',
        responses: {
          200: {
            description: 'The snippets',
            content: { 'application/json': { schema: PageSnippets }, 'text/plain': { schema: z.string() } },
          },
        },
      }),
      input('query', SnippetsQuery),
      async (c) => {
        const query = c.req.valid('query')
        const page = await pageSnippets(pagesPorts(ports, c), { ...(await pathOf(c)), path: c.req.param('path') }, query)
        return query.type === 'txt' ? c.text(snippetText(page)) : c.json(page)
      },
    )
    .get(
      `${library}/changes`,
      member(ports),
      describeRoute({
        operationId: 'listChanges',
        tags: ['Libraries'],
        summary: 'List the pages that differ between two versions',
        description: 'By their paths and their text.',
        responses: { 200: json(ChangeList, 'The pages that were added, removed or changed') },
      }),
      input('query', ChangesQuery),
      async (c) =>
        c.json(await listChanges(pagesPorts(ports, c), await pathOf(c), c.req.valid('query'), callerSignal(c.req.raw))),
    )
    .get(
      `${library}/ask`,
      member(ports),
      describeRoute({
        operationId: 'ask',
        tags: ['Libraries'],
        summary: 'Ask a library, with an explanation',
        description: 'The best snippets for a question, each with why it was found. The question counts like those of web pages.',
        responses: { 200: json(ContextAnswer, 'The snippets') },
      }),
      input('query', AskQuery),
      async (c) => {
        const { version, ...asked } = c.req.valid('query')
        const libraryId = { ...(await libraryInPath(c)), ...(version !== undefined && { version }) }
        const signal = callerSignal(c.req.raw)
        const asking = { caller: teamCaller(c), usage: pageUsage(c) }
        const answer = await answerContext(ports, { ...asked, libraryId, type: 'json', explain: 'true' }, asking, signal)
        return c.json<ContextAnswer>(renderJson(answer))
      },
    )

const pagesPorts = (ports: AnswerContextPorts, c: Context<MemberEnv>) => ({
  snippets: ports.snippets,
  catalog: { served: async (id: LibraryId) => (await visibleVersion(ports, teamCaller(c), id)).served },
})

async function pathOf(c: Context) {
  const { owner, repo, version } = await libraryInPath(c)
  return { owner, repo: version === undefined ? repo : `${repo}@${version}` }
}

/** Questions of the dashboard count like those of the web pages. */
const pageUsage = (c: Context): RequestUsage => ({
  surface: 'page',
  client: undefined,
  country: countryOf(c.req.header('cloudfront-viewer-country')),
  keyId: undefined,
  sessionId: undefined,
  address: '',
  userAgent: '',
})
