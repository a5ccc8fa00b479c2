import { type Context, Hono, type MiddlewareHandler, type TypedResponse } from 'hono'
import { z } from 'zod'
import { callerSignal } from '../http/caller-signal.ts'
import { ContextQuery, ExplainedQuery } from '../search/get-context.ts'
import { type Answer, type RenderedAnswer, renderJson, renderText } from '../search/render-answer.ts'
import { describeRoute, type RouteAdditions } from './describe-route.ts'
import { input } from './input.ts'

const Explained = z
  .object({
    legs: z.object({ text: z.int().optional(), vector: z.int().optional() }).describe('Its rank in each search that found it'),
    score: z.number(),
    words: z.array(z.string()).describe('The words of the question that it contains'),
    pageScore: z.number().describe('The evidence of its page, from 0 to 1'),
  })
  .optional()
  .describe('With explain=true')

const origin = {
  docsLanguage: z.string().optional().describe('Code of the language of the documentation, if the library has several'),
  alsoOn: z.array(z.string()).optional().describe('Addresses of other pages with the same section'),
  includedBy: z.string().optional().describe('Path of the page that includes the text from another file'),
  version: z.string().optional().describe('Tag or branch that the snippet comes from'),
  commitDate: z.iso.datetime().optional().describe('Date of its commit'),
}

const CodeSnippetAnswer = z
  .object({
    codeTitle: z.string(),
    codeDescription: z.string(),
    codeLanguage: z.string(),
    codeTokens: z.int(),
    codeId: z.string().describe('Address of the source'),
    pageTitle: z.string(),
    breadcrumb: z.string(),
    codeList: z.array(z.object({ language: z.string(), code: z.string() })),
    ...origin,
    rank: z.int().describe('1 is best; both lists share one ranking'),
    explain: Explained,
  })
  .meta({ id: 'CodeSnippet' })

const InfoSnippetAnswer = z
  .object({
    pageId: z.string().describe('Address of the source'),
    breadcrumb: z.string(),
    content: z.string(),
    contentTokens: z.int(),
    ...origin,
    rank: z.int().describe('1 is best; both lists share one ranking'),
    explain: Explained,
  })
  .meta({ id: 'InfoSnippet' })

const ContextAnswer = z
  .object({
    codeSnippets: z.array(CodeSnippetAnswer),
    infoSnippets: z.array(InfoSnippetAnswer),
    rules: z
      .object({
        libraryOwn: z.array(z.string()).optional().describe('Rules from the project file of the library'),
        notice: z.string().optional().describe('Who wrote the rules'),
      })
      .optional(),
    notes: z.array(z.string()).optional().describe('Sentences about the question and the answer'),
    covered: z.boolean().optional().describe('False if the documentation does not seem to cover the question'),
    confidence: z.number().optional().describe('How likely the documentation answers the question, from 0 to 1'),
    timings: z.record(z.string(), z.number()).optional().describe('With explain=true: milliseconds by step'),
    text: z.string().optional().describe('With explain=true: the text answer'),
  })
  .meta({ id: 'ContextResponse' })
type ContextAnswer = z.infer<typeof ContextAnswer>

/** `signal` aborts when the caller disconnects. */
export type ContextRoutesPorts = {
  context(input: ContextQuery & Partial<ExplainedQuery>, c: Context, signal: AbortSignal): Promise<Answer | RenderedAnswer>
}

/** `explains` adds the parameters that look into the ranking. */
type ContextRouteAdditions = RouteAdditions & { explains?: boolean }

export const contextRoutes = ({ context }: ContextRoutesPorts, access: MiddlewareHandler, own: ContextRouteAdditions = {}) =>
  new Hono().get(
    '/v2/context',
    describeRoute({
      operationId: 'getContext',
      tags: ['Context'],
      summary: 'Get the best snippets of a library for a question',
      description:
        'Returns documentation and code examples, most relevant first, as text for a model or as JSON, within a token budget.',
      responses: {
        200: {
          description: 'Snippets, most relevant first',
          headers: z.object({
            'x-carrel-search': z.enum(['hybrid', 'text']).describe('Search methods that were used'),
            ...own.headers?.shape,
          }),
          content: { 'text/plain': { schema: z.string() }, 'application/json': { schema: ContextAnswer } },
        },
      },
      errors: [404, 503, ...(own.errors ?? [])],
    }),
    access,
    // Both halves have one type of client; the hosted half ignores the two parameters.
    input('query', (own.explains ? ExplainedQuery : ContextQuery) as typeof ExplainedQuery),
    async (c) => {
      const query = c.req.valid('query')
      const signal = callerSignal(c.req.raw)
      const answer = await context(query, c, signal)
      signal.throwIfAborted()
      c.header('x-carrel-search', answer.search)
      if (answer.hosted) c.header('x-carrel-hosted', answer.hosted)
      if (query.type === 'txt') return c.text(renderText(answer))
      return 'rendered' in answer ? renderedJson(c, answer.rendered) : c.json<ContextAnswer>(renderJson(answer))
    },
  )

/** A body that the hosted service has rendered. */
const renderedJson = (c: Context, body: string) =>
  c.body(body, 200, { 'content-type': 'application/json' }) as Response & TypedResponse<unknown, 200, string> as Response &
    TypedResponse<ContextAnswer, 200, 'json'>
