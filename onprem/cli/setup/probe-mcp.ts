import { type Env, explainError, explainStatus } from './explain-error.ts'
import { fetchText } from './fetch-text.ts'
import { isKeyHeader } from './servers.ts'

/** `missing` is the protocol of newer clients, if the server does not know it. */
export type Probed = { protocols: string[]; missing?: string } | { problem: string; isKey: boolean }

/** Maximum time for a response of a server. */
export const probeTimeoutMs = 5_000
const newer = '2026-07-28'
const clientInfo = { name: 'carrel-doctor', version: '1' }
const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
}
const listTools = {
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': newer,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

/**
 * Sends the first message of MCP clients of both eras, with the headers of the client. Uses no package of MCP, since it is part of the small
 * program at `/cli.mjs`. `problem` continues the sentence "ADDRESS …".
 */
export async function probeMcp(url: string, headers: Record<string, string>, env: Env): Promise<Probed> {
  try {
    const { status, result } = await send(url, headers, initialize)
    if (status === 401 || status === 403)
      return { problem: Object.keys(headers).some(isKeyHeader) ? 'does not accept the key' : 'requires a key', isKey: true }
    if (status === 200 && typeof result?.protocolVersion === 'string') {
      const ofNewer = { ...headers, 'mcp-protocol-version': newer, 'mcp-method': listTools.method }
      const answer = await send(url, ofNewer, listTools).catch(() => undefined)
      const protocols = [result.protocolVersion]
      return Array.isArray(answer?.result?.tools) ? { protocols: [...protocols, newer] } : { protocols, missing: newer }
    }
    const reason = await explainStatus(status, { url, env })
    return { problem: reason ?? `does not respond as an MCP server (status ${status})`, isKey: false }
  } catch (error) {
    return { problem: await explainError(error, { url, timeoutMs: probeTimeoutMs, env }), isKey: false }
  }
}

type Result = { protocolVersion?: unknown; tools?: unknown }

async function send(url: string, headers: Record<string, string>, message: { method: string; params: object }) {
  const { status, text } = await fetchText(url, {
    method: 'POST',
    headers: { ...headers, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    timeoutMs: probeTimeoutMs,
  })
  return { status, result: resultOf(text) }
}

/** Reads a JSON response, or an event stream with one message. */
function resultOf(text: string): Result | undefined {
  try {
    return JSON.parse(/^data: ?(.*)$/m.exec(text)?.[1] ?? text).result
  } catch {
    return undefined
  }
}
