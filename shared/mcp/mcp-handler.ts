import {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  McpServer,
  type ServerContext,
  type ToolAnnotations,
} from '@modelcontextprotocol/server'
import { parseAccept } from 'hono/utils/accept'
import { z } from 'zod'
import { mcpError } from '../http/error-response.ts'
import { toHttp } from '../http/to-http.ts'
import type { FoundLibraries } from '../search/libraries/search-libraries.ts'
import { asMachineError, UnusablePath } from '../system/machine-error.ts'
import { type AnswerDeadline, answerDeadline } from './answer-deadline.ts'
import { explainErrors } from './explain-errors.ts'
import { librariesText } from './libraries-text.ts'
import { clientNameOf, readMessages, traceparentOf } from './read-messages.ts'
import { eventsAsJson, hasEvents, rewriteMessages } from './rewrite-messages.ts'
import { type DocsQuestion, instructions, type OutlineRequest, type PageRequest, tools } from './tools.ts'

/** The types of response that a client takes. */
type AcceptedTypes = { json: boolean; events: boolean }

const both = ['application/json', 'text/event-stream'] as const

/** The header that the MCP package requires of clients of the 2025 protocol. */
const acceptsBoth = both.join(', ')

/** The client's own data from the MCP protocol, not from HTTP headers. */
export type McpClient = { name?: string; version?: string }

export type McpPorts = {
  /** The version of Carrel. */
  version: string
  /** `request` is the one passed to `fetch`. `signal` aborts when the caller stops waiting. The message of an AppError becomes the tool's answer. */
  searchLibraries(input: { libraryName: string; query: string }, request: Request, signal: AbortSignal): Promise<FoundLibraries>
  contextText(input: DocsQuestion, request: Request, signal: AbortSignal, client: McpClient): Promise<string>
  outlineText(input: OutlineRequest, request: Request, signal: AbortSignal, client: McpClient): Promise<string>
  pageText(input: PageRequest, request: Request, signal: AbortSignal, client: McpClient): Promise<string>
  /** Called with the `traceparent` in `_meta` of the first message that has one; it may be any value. */
  onTraceparent(value: unknown, request: Request): void
  /** Called for each request that was answered, with the name that the client sends in the protocol. */
  onAnswered(client: string | undefined, request: Request): void
  /** Called for unexpected errors. The model gets a general message instead. */
  onError(error: unknown, request: Request): void
}

const Envelope = z.object({ [CLIENT_INFO_META_KEY]: z.object({ name: z.string().optional(), version: z.string().optional() }) })

const annotations: ToolAnnotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }

/** Time limit for all calls of a request together. */
const answerMs = 60_000

/**
 * Streamable HTTP without sessions, for clients of the 2025 and the 2026-07-28 protocol. Keeps no state between requests. Does not check the key or
 * the Host header; do that before.
 */
export function mcpHandler(ports: McpPorts, maxAnswerMs = answerMs): { fetch(request: Request): Promise<Response> } {
  return {
    async fetch(request) {
      const accepted = acceptedTypes(request.headers.get('accept'))
      if (request.method === 'POST' && !accepted.json && !accepted.events) return mcpError(406, -32000, notAcceptable)
      const body = await readMessages(request)
      if ('refused' in body) return body.refused
      const traceparent = traceparentOf(body.parsedBody)
      if (traceparent !== undefined) ports.onTraceparent(traceparent, request)
      const deadline = answerDeadline(body.parsedBody, maxAnswerMs)
      let reported: unknown
      const inTurn = serially()
      const handler = createMcpHandler(() => mcpServer(ports, { request, inTurn, deadline }), {
        // Nothing ever changes, so a subscription would only keep a connection open.
        maxSubscriptions: 0,
        responseMode: accepted.json ? 'auto' : 'sse',
        onerror: (error) => {
          reported = error
        },
      })
      const response = await deadline.within(async () => {
        const response = await handler.fetch(withAccept(request), body)
        // The package also reports requests that it rejects, which are mistakes of the client.
        if (response.status >= 500) ports.onError(reported, request)
        if (response.ok && body.parsedBody !== undefined) ports.onAnswered(clientNameOf(body.parsedBody), request)
        return rewriteMessages(response, (json) => {
          deadline.noteAnswer(json)
          return explainErrors(json)
        })
      })
      return accepted.events || !hasEvents(response) ? response : eventsAsJson(response, Array.isArray(body.parsedBody))
    },
  }
}

const notAcceptable = `Not Acceptable: send "Accept: ${acceptsBoth}", or one of the two.`

/** The request with the header that the package requires. Its body has been read. */
function withAccept(request: Request): Request {
  if (request.headers.get('accept') === acceptsBoth) return request
  const { url, method, signal } = request
  const headers = new Headers(request.headers)
  headers.set('accept', acceptsBoth)
  return new Request(url, { method, headers, signal })
}

type Exchange = { request: Request; inTurn: InTurn; deadline: AnswerDeadline }

function mcpServer(ports: McpPorts, { request, inTurn, deadline }: Exchange): McpServer {
  const server = new McpServer(
    { name: 'Carrel', version: ports.version },
    {
      instructions,
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false, subscribe: false },
      },
    },
  )
  server.registerTool('resolve-library-id', { ...tools.resolveLibraryId, annotations }, (input, context) =>
    answer(context, async (signal) => librariesText(await ports.searchLibraries(input, request, signal))),
  )
  server.registerTool('query-docs', { ...tools.queryDocs, annotations }, (input, context) =>
    answer(context, async (signal) => documentationText(await ports.contextText(input, request, signal, clientOf(context)))),
  )
  server.registerTool('list-pages', { ...tools.listPages, annotations }, (input, context) =>
    answer(context, (signal) => ports.outlineText(input, request, signal, clientOf(context))),
  )
  server.registerTool('read-page', { ...tools.readPage, annotations }, (input, context) =>
    answer(context, (signal) => ports.pageText(input, request, signal, clientOf(context))),
  )
  return server

  async function answer({ mcpReq }: ServerContext, find: (signal: AbortSignal) => Promise<string>) {
    const signal = AbortSignal.any([mcpReq.signal, deadline.signal])
    const answer = inTurn(async () => {
      signal.throwIfAborted()
      return find(signal)
    })
    const text = await answer.catch((thrown) => (signal.aborted ? '' : errorText(ports, thrown, request)))
    return { content: [{ type: 'text' as const, text }] }
  }
}

type InTurn = (work: () => Promise<string>) => Promise<string>

/** Runs work one piece at a time, so that a batch of up to 100 calls uses no more resources than one. */
function serially(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

function errorText(ports: McpPorts, thrown: unknown, request: Request): string {
  const machineError = asMachineError(thrown)
  const error = machineError instanceof UnusablePath ? machineError.withoutPath : machineError
  const { error: code, message } = toHttp(error).body
  if (code !== 'internal_error') return message
  ports.onError(error, request)
  return 'The documentation server could not answer because of an error on its side. Try again later.'
}

const clientOf = (context: ServerContext): McpClient =>
  Envelope.safeParse(context.mcpReq.envelope).data?.[CLIENT_INFO_META_KEY] ?? {}

function acceptedTypes(header: string | null): AcceptedTypes {
  const [json, events] = both
  if (header === null || header.trim() === '') return { json: true, events: true }
  const ranges = parseAccept(header).map(({ type, q }) => ({ type: type.toLowerCase(), q }))
  const isAccepted = (type: string): boolean => {
    const covering = [type, `${type.split('/', 1)[0]}/*`, '*/*', '*']
    const range = covering.flatMap((name) => ranges.find((each) => each.type === name) ?? [])[0]
    return range === undefined ? header.includes(type) : range.q > 0
  }
  return { json: isAccepted(json), events: isAccepted(events) }
}

/** The answer of query-docs. */
export function documentationText(text: string): string {
  return text.trim() === ''
    ? 'No documentation was found for this library, or it is not ready yet. Check the id with resolve-library-id.'
    : text
}
