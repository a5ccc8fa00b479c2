import { toHttp } from '../errors.ts'

/** The MCP translation of a thrown value, for what the HTTP layer refuses before the handler is asked: JSON-RPC with id null. */
export function mcpRefusal(thrown: unknown): Response {
  const { status, body, headers } = toHttp(thrown)
  const error = { code: jsonRpcCode(status), message: body.message }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers })
}

function jsonRpcCode(status: number): number {
  if (status === 401) return -32001
  return status === 500 ? -32603 : -32000
}
