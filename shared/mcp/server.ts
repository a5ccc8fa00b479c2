import {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  McpServer,
  type ServerContext,
  type ToolAnnotations,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { FoundLibraries } from '../search/search-libraries.ts'
import { documentationText, librariesText } from './answer.ts'
import { instructions, queryDocs, resolveLibraryId } from './tools.ts'

/** What a client says of itself inside the protocol; its HTTP headers are the ports' to read. */
export type McpClient = { name?: string; version?: string }

export type McpPorts = {
  /** Of the product. */
  version: string
  /** `request` is the one given to `fetch`. An AppError becomes the tool's answer. */
  searchLibraries(input: { libraryName: string; query: string }, request: Request): Promise<FoundLibraries>
  contextText(input: { libraryId: string; query: string }, request: Request, client: McpClient): Promise<string>
  /** Is told of what was thrown and is not an AppError: the model gets a general sentence instead. */
  onError(error: unknown): void
}

const Envelope = z.object({ [CLIENT_INFO_META_KEY]: z.object({ name: z.string().optional(), version: z.string().optional() }) })

const annotations: ToolAnnotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }

const maxBodyBytes = 128 * 1024

/**
 * Streamable HTTP without sessions, for clients of the 2025 and the 2026-07-28 protocol. It keeps nothing between requests
 * and checks neither key nor Host: that is done before it is asked.
 */
export function mcpHandler(ports: McpPorts): { fetch(request: Request): Promise<Response> } {
  return {
    async fetch(request) {
      let reported: unknown
      const inTurn = oneByOne()
      const handler = createMcpHandler(() => mcpServer(ports, request, inTurn), {
        maxRequestBodySize: maxBodyBytes,
        // Nothing here ever changes, so a subscription would only hold a connection.
        maxSubscriptions: 0,
        onerror: (error) => {
          reported = error
        },
      })
      const response = await handler.fetch(request)
      // The package also reports what it refuses, which is the client's mistake.
      if (response.status >= 500) ports.onError(reported)
      return response
    },
  }
}

function mcpServer(ports: McpPorts, request: Request, inTurn: InTurn): McpServer {
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
  server.registerTool('resolve-library-id', { ...resolveLibraryId, annotations }, (input) =>
    answer(ports, () => inTurn(async () => librariesText(await ports.searchLibraries(input, request)))),
  )
  server.registerTool('query-docs', { ...queryDocs, annotations }, (input, context) =>
    answer(ports, () => inTurn(async () => documentationText(await ports.contextText(input, request, clientOf(context))))),
  )
  return server
}

type InTurn = (work: () => Promise<string>) => Promise<string>

/** A batch holds up to 100 calls: it takes no more of the machine than one. */
function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

async function answer(ports: McpPorts, text: () => Promise<string>) {
  return { content: [{ type: 'text' as const, text: await text().catch((thrown) => apology(ports, thrown)) }] }
}

function apology(ports: McpPorts, thrown: unknown): string {
  if (thrown instanceof AppError && thrown.code !== 'internal_error') return thrown.message
  ports.onError(thrown)
  return 'The documentation server could not answer because of an error on its side. Try again later.'
}

const clientOf = (context: ServerContext): McpClient =>
  Envelope.safeParse(context.mcpReq.envelope).data?.[CLIENT_INFO_META_KEY] ?? {}
