import { toHttp } from '../errors.ts'

/** The MCP translation of a thrown value, for what the HTTP layer refuses before the handler is asked: JSON-RPC with id null. */
export function mcpErrorResponse(thrown: unknown): Response {
  const { status, body, headers } = toHttp(thrown)
  return mcpError(status, jsonRpcCode(status), body.message, null, headers)
}

/** `id` is that of the request which failed, null if no one request did. */
export function mcpError(
  status: number,
  code: number,
  message: string,
  id: unknown = null,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status, headers })
}

function jsonRpcCode(status: number): number {
  if (status === 401) return -32001
  return status === 500 ? -32603 : -32000
}
