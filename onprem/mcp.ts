import { Hono } from 'hono'
import type { Context as Answer } from '../shared/search/get-context.ts'
import { renderText } from '../shared/search/render-context.ts'
import type { FoundLibraries } from '../shared/search/search-libraries.ts'
import { type AccessEnv, allow } from './access.ts'
import type { App } from './app.ts'

type Answers = {
  search(query: { libraryName: string; query: string }): Promise<FoundLibraries>
  context(query: { libraryId: string; query: string; tokens: number }): Promise<Answer>
}

const answerTokens = 5000

/** `/mcp`: the MCP package loads with the first request. */
export const mcpRoutes = (app: App, { search, context }: Answers) => {
  let handler: Promise<{ fetch(request: Request): Promise<Response> }> | undefined
  const load = async () => {
    const { mcpHandler } = await import('../shared/mcp/server.ts')
    return mcpHandler({
      version: app.version,
      searchLibraries: (input) => search(input),
      contextText: async (input) => renderText(await context({ ...input, tokens: answerTokens })),
      onError: (error) => app.log.error({ error }, 'mcp request failed'),
    })
  }
  return new Hono<AccessEnv>().all('/mcp', allow(app, 'mcp'), async (c) => {
    handler ??= load()
    return (await handler).fetch(c.req.raw)
  })
}
