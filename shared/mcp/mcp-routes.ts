import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { requestLog } from '../http/log-requests.ts'
import type { LibraryId } from '../library.ts'
import type { Log } from '../log.ts'
import { readLibraryId } from '../schemas/read-library-id.ts'
import type { FoundLibraries } from '../search/libraries/search-libraries.ts'
import { type Answer, type RenderedAnswer, renderText } from '../search/render-answer.ts'
import type { McpClient } from './mcp-handler.ts'

/** The functions that answer both tools. `c` is the HTTP request of the question. */
export type McpAnswers = {
  search(query: { libraryName: string; query: string }, c: Context, signal: AbortSignal): Promise<FoundLibraries>
  context(
    query: { libraryId: LibraryId; query: string; tokens: number },
    c: Context,
    signal: AbortSignal,
    client: McpClient,
  ): Promise<Answer | RenderedAnswer>
}

const answerTokens = 5000

const contextQuery = ({ libraryId, query }: { libraryId: string; query: string }) => ({
  libraryId: readLibraryId(libraryId),
  query,
  tokens: answerTokens,
})

/** `/mcp`. Loads the MCP package with the first request. */
export const mcpRoutes = (ports: { version: string; log: Log }, { search, context }: McpAnswers, gate: MiddlewareHandler) => {
  const contexts = new WeakMap<Request, Context>()
  const contextOf = (request: Request): Context => {
    const c = contexts.get(request)
    if (!c) throw new Error('The MCP handler passed an unknown request.')
    return c
  }
  let handler: Promise<{ fetch(request: Request): Promise<Response> }> | undefined
  const load = async () => {
    const { mcpHandler } = await import('./mcp-handler.ts')
    return mcpHandler({
      version: ports.version,
      searchLibraries: (input, request, signal) => search(input, contextOf(request), signal),
      contextText: async (input, request, signal, client) =>
        renderText(await context(contextQuery(input), contextOf(request), signal, client)),
      onError: (error, request) => requestLog(contextOf(request), ports.log).error({ error }, 'mcp request failed'),
    })
  }
  return new Hono().all('/mcp', gate, async (c) => {
    contexts.set(c.req.raw, c)
    handler ??= load()
    return (await handler).fetch(c.req.raw)
  })
}
