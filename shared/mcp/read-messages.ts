import { mcpError, mcpErrorResponse } from '../http/error-response.ts'
import { compressedBody, isCompressed, readBody } from '../http/read-body.ts'

type Messages = { parsedBody?: unknown } | { refused: Response }

const maxBodyBytes = 128 * 1024

/** The JSON-RPC messages of a request, or the response to a body without valid messages. */
export async function readMessages(request: Request): Promise<Messages> {
  if (request.method !== 'POST') return {}
  if (isCompressed(request)) return { refused: mcpError(415, -32000, `Unsupported Media Type: ${compressedBody}`) }
  let body: Buffer
  try {
    body = await readBody(request, maxBodyBytes)
  } catch (error) {
    return { refused: mcpErrorResponse(error) }
  }
  const parsedBody = parse(body)
  if (parsedBody === undefined) return { refused: mcpError(400, -32700, 'Parse error: the body is not valid JSON.') }
  const error = Array.isArray(parsedBody) ? batchError(parsedBody) : undefined
  return error === undefined
    ? { parsedBody: normalized(parsedBody) }
    : { refused: mcpError(400, -32600, `Invalid Request: ${error}`) }
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

/** The `traceparent` in `_meta` of the first message that has one. */
export function traceparentOf(messages: unknown): unknown {
  for (const message of [messages].flat()) {
    const meta = isObject(message) && isObject(message.params) ? message.params._meta : undefined
    if (isObject(meta) && meta.traceparent !== undefined) return meta.traceparent
  }
  return undefined
}

/** The name that the client of these messages sends: with `initialize`, or with every request since revision 2026-07-28. */
export function clientNameOf(messages: unknown): string | undefined {
  for (const message of [messages].flat()) {
    const params = isObject(message) && isObject(message.params) ? message.params : {}
    const meta = isObject(params._meta) ? params._meta[clientInfoInMeta] : undefined
    const name = [params.clientInfo, meta].flatMap((info) => (isObject(info) ? [info.name] : []))[0]
    if (typeof name === 'string') return name
  }
  return undefined
}

const clientInfoInMeta = 'io.modelcontextprotocol/clientInfo'

/** Some clients write null, or an empty list for an empty object. */
const normalized = (body: unknown): unknown => (Array.isArray(body) ? body.map(withParams) : withParams(body))

function withParams(message: unknown): unknown {
  if (!isObject(message) || !('params' in message)) return message
  const { params, ...rest } = message
  if (params === null || isEmptyList(params)) return rest
  if (!isObject(params)) return message
  const { _meta, arguments: args, capabilities, clientInfo, ...others } = params
  const optional = {
    _meta: asObject(_meta),
    arguments: isEmptyList(args) ? {} : args,
    capabilities: asObject(capabilities, asObject),
    clientInfo: asObject(clientInfo),
  }
  return { ...rest, params: { ...others, ...withoutNulls(optional) } }
}

function asObject(value: unknown, readMember = (member: unknown): unknown => member): unknown {
  if (isEmptyList(value)) return {}
  if (!isObject(value)) return value
  const members = Object.entries(withoutNulls(value)).map(([name, member]) => [name, readMember(member)])
  return Object.fromEntries(members)
}

const withoutNulls = (object: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined))

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A byte order mark is dropped. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
