import { mcpError, mcpErrorResponse } from '../http/mcp-error.ts'
import { readBody } from '../http/read-body.ts'

type Messages = { parsedBody?: unknown } | { refused: Response }

const maxBodyBytes = 128 * 1024

/** The JSON-RPC messages of a request, or the response to a body without valid messages. */
export async function readMessages(request: Request): Promise<Messages> {
  if (request.method !== 'POST') return {}
  let body: Buffer
  try {
    body = await readBody(request, maxBodyBytes)
  } catch (error) {
    return { refused: mcpErrorResponse(error) }
  }
  const parsedBody = parse(body)
  if (parsedBody === undefined) return { refused: mcpError(400, -32700, 'Parse error: the body is not valid JSON.') }
  const error = Array.isArray(parsedBody) ? batchError(parsedBody) : undefined
  return error === undefined ? { parsedBody } : { refused: mcpError(400, -32600, `Invalid Request: ${error}`) }
}

/** The reason to reject a batch. The MCP package waits for an answer to each request, but gives none to a cancelled one. */
function batchError(batch: unknown[]): string | undefined {
  const ids = batch.flatMap((message) => (isRequest(message) ? [message.id] : []))
  if (new Set(ids).size < ids.length) return 'each request of a batch must have a unique id.'
  if (ids.length > 0 && batch.some(isCancellation)) return 'a batch must not contain both requests and cancellations.'
  return undefined
}

export const isRequest = (message: unknown): message is { id: unknown } =>
  typeof message === 'object' && message !== null && 'method' in message && 'id' in message

const isCancellation = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'method' in message && message.method === 'notifications/cancelled'

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
