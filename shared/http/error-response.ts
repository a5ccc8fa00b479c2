import { toHttp } from './to-http.ts'

/** The response to a thrown value: JSON-RPC on `/mcp`, else `{error, message}`. */
export function errorResponse(thrown: unknown, path: string): Response {
  if (path === '/mcp') return mcpErrorResponse(thrown)
  const { status, body, headers } = toHttp(thrown)
  return Response.json(body, { status, headers })
}

/** A thrown value as JSON-RPC error with id null, for requests that fail before they reach the MCP handler. */
export function mcpErrorResponse(thrown: unknown): Response {
  const { status, body, headers } = toHttp(thrown)
  return mcpError(status, jsonRpcCode(status), body.message, null, headers)
}

/** `id` is the id of the failed request, null if the error concerns no single request. */
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
