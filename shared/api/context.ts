import { type Context as Call, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { callerSignal } from '../http/caller-signal.ts'
import type { Context, RenderedContext } from '../search/context.ts'
import { ContextQuery } from '../search/get-context.ts'
import { renderJson, renderText } from '../search/render-context.ts'
import { input } from './input.ts'
import { errors, type Operations, type OwnAnswers } from './operations.ts'

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
    rank: z.int().describe('1 is best, counted across both lists'),
  })
  .meta({ id: 'CodeSnippet' })

const InfoSnippetAnswer = z
  .object({
    pageId: z.string().describe('Address of the source'),
    breadcrumb: z.string(),
    content: z.string(),
    contentTokens: z.int(),
    rank: z.int().describe('1 is best, counted across both lists'),
  })
  .meta({ id: 'InfoSnippet' })

const ContextAnswer = z
  .object({
    codeSnippets: z.array(CodeSnippetAnswer),
    infoSnippets: z.array(InfoSnippetAnswer),
    rules: z
      .object({
        libraryOwn: z.array(z.string()).optional().describe('Guidance from the project file of the library'),
        notice: z.string().optional().describe('Whose words the rules are'),
      })
      .optional(),
  })
  .meta({ id: 'ContextResponse' })

/** `signal` aborts when the caller hangs up. */
export type ContextAnswerPorts = {
  context(input: ContextQuery, call: Call, signal: AbortSignal): Promise<Context | RenderedContext>
}

export const contextRoutes = ({ context }: ContextAnswerPorts, gate: MiddlewareHandler) =>
  new Hono().get('/v2/context', gate, input('query', ContextQuery), async (c) => {
    const query = c.req.valid('query')
    const signal = callerSignal(c.req.raw)
    const found = await context(query, c, signal)
    signal.throwIfAborted()
    c.header('x-carrel-search', found.search)
    if (found.hosted) c.header('x-carrel-hosted', found.hosted)
    if (query.type === 'txt') return c.text(renderText(found))
    return 'rendered' in found ? c.body(found.rendered, 200, { 'content-type': 'application/json' }) : c.json(renderJson(found))
  })

export const contextOperations = (own: OwnAnswers = {}): Operations => ({
  '/v2/context': {
    get: {
      operationId: 'getContext',
      tags: ['Context'],
      summary: 'Get the best snippets of a library for a question',
      description:
        'Returns documentation and code examples, most relevant first, as text for a model or as JSON, within a token budget.',
      requestParams: { query: ContextQuery },
      responses: {
        200: {
          description: 'Snippets, most relevant first',
          headers: z.object({
            'x-carrel-search': z.enum(['hybrid', 'text']).describe('Search methods that were used'),
            ...own.headers?.shape,
          }),
          content: { 'text/plain': { schema: z.string() }, 'application/json': { schema: ContextAnswer } },
        },
        ...errors(400, 401, 403, 404, 503, ...(own.errors ?? [])),
      },
    },
  },
})
