import { mcpErrorResponse } from './mcp-error.ts'
import { toHttp } from './to-http.ts'

/** The response to a thrown value: JSON-RPC on `/mcp`, else `{error, message}`. */
export function errorResponse(thrown: unknown, path: string): Response {
  if (path === '/mcp') return mcpErrorResponse(thrown)
  const { status, body, headers } = toHttp(thrown)
  return Response.json(body, { status, headers })
}
