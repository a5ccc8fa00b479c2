import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { knownIdOf } from '../api/known-ids.ts'
import { noteTraceparent, requestLog } from '../http/log-requests.ts'
import { type LibraryId, withVersion } from '../library.ts'
import type { Log } from '../log.ts'
import { readLibraryId } from '../schemas/read-library-id.ts'
import { answerQuestion, type QuestionPorts } from '../search/answer-question.ts'
import { combinedText } from '../search/ask-libraries.ts'
import type { ContextRequest } from '../search/get-context.ts'
import type { FoundLibraries } from '../search/libraries/search-libraries.ts'
import { outlineText } from '../search/pages/list-outline.ts'
import type { PageReader } from '../search/pages/page-reader.ts'
import { pageText } from '../search/pages/read-page.ts'
import { renderText } from '../search/render-answer.ts'
import type { McpClient } from './mcp-handler.ts'
import type { DocsQuestion } from './tools.ts'

/** The functions that answer the tools. `c` is the HTTP request of the question. */
export type McpAnswers = {
  search(query: { libraryName: string; query: string }, c: Context, signal: AbortSignal): Promise<FoundLibraries>
  questions(c: Context, signal: AbortSignal, client: McpClient): QuestionPorts<Omit<ContextRequest, 'libraryId'>>
  pages(c: Context, signal: AbortSignal, client: McpClient): PageReader
  /** Runs before each call of a tool, which fails if it throws. A request may have many calls. */
  admit?(c: Context): Promise<void>
  /** Called for each answered request. `client`: the name that the client sends in the protocol. */
  onAnswered?(client: string | undefined, c: Context): void
}

const answerTokens = 5000
const budget = { min: 500, max: 50_000 }
const minPageTokens = 1000
/** Characters of a question that are read. */
const maxQuestion = 20_000

/** Clients send any number. */
const tokensOf = (tokens = answerTokens, min = budget.min): number => Math.min(budget.max, Math.max(min, Math.floor(tokens)))

async function contextText(c: Context, ports: ReturnType<McpAnswers['questions']>, input: DocsQuestion): Promise<string> {
  const { libraryId, libraryIds = [], version, tokens, ...question } = input
  const named = [...(libraryId === undefined ? [] : [libraryId]), ...libraryIds].map(readLibraryId)
  const ids = await Promise.all(named.map((id) => knownIdOf(c, id)))
  const answer = await answerQuestion(ports, withVersion(ids, version), { ...question, tokens: tokensOf(tokens), maxQuestion })
  return 'parts' in answer ? combinedText(answer) : renderText(answer)
}

type NamedLibrary = { libraryId: string; version?: string | undefined }

const idOf = async (c: Context, { libraryId, version }: NamedLibrary): Promise<LibraryId> =>
  withVersion([await knownIdOf(c, readLibraryId(libraryId))], version)[0] as LibraryId

/** `/mcp`. Loads the MCP package with the first request. */
export const mcpRoutes = (
  ports: { version: string; log: Log },
  { search, questions, pages, admit = async () => undefined, onAnswered = () => undefined }: McpAnswers,
  gate: MiddlewareHandler,
) => {
  const contexts = new WeakMap<Request, Context>()
  const contextOf = (request: Request): Context => {
    const c = contexts.get(request)
    if (!c) throw new Error('The MCP handler passed an unknown request.')
    return c
  }
  const admitted = async (request: Request): Promise<Context> => {
    const c = contextOf(request)
    await admit(c)
    return c
  }
  let handler: Promise<{ fetch(request: Request): Promise<Response> }> | undefined
  const load = async () => {
    const { mcpHandler } = await import('./mcp-handler.ts')
    return mcpHandler({
      version: ports.version,
      searchLibraries: async (input, request, signal) => search(input, await admitted(request), signal),
      async contextText(input, request, signal, client) {
        const c = await admitted(request)
        return contextText(c, questions(c, signal, client), input)
      },
      async outlineText({ folder, ...library }, request, signal, client) {
        const c = await admitted(request)
        return outlineText(await pages(c, signal, client).outline({ libraryId: await idOf(c, library), folder }))
      },
      pageText: async ({ libraryId, version, tokens, ...asked }, request, signal, client) => {
        const c = await admitted(request)
        const reading = { libraryId: await idOf(c, { libraryId, version }), tokens: tokensOf(tokens, minPageTokens), ...asked }
        return pageText(await pages(c, signal, client).page(reading))
      },
      onAnswered: (client, request) => onAnswered(client, contextOf(request)),
      onTraceparent: (value, request) => noteTraceparent(contextOf(request), value),
      onError: (error, request) => requestLog(contextOf(request), ports.log).error({ error }, 'mcp request failed'),
    })
  }
  return new Hono().all('/mcp', gate, async (c) => {
    contexts.set(c.req.raw, c)
    handler ??= load()
    return (await handler).fetch(c.req.raw)
  })
}
