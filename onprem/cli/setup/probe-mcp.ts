import { type Env, explainError, explainStatus } from './explain-error.ts'
import { fetchText } from './fetch-text.ts'
import { isKeyHeader } from './servers.ts'

export type Probed = { protocol: string } | { problem: string; isKey: boolean }

/** Maximum time for the response of a server. */
export const probeTimeoutMs = 5_000
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'carrel-doctor', version: '1' } },
}

/** Sends the first message of an MCP client, with its headers. `problem` continues the sentence "ADDRESS …". */
export async function probeMcp(url: string, sent: Record<string, string>, env: Env): Promise<Probed> {
  try {
    const { status, text } = await fetchText(url, {
      method: 'POST',
      headers: {
        ...sent,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(initialize),
      timeoutMs: probeTimeoutMs,
    })
    if (status === 401 || status === 403)
      return { problem: Object.keys(sent).some(isKeyHeader) ? 'does not accept the key' : 'requires a key', isKey: true }
    const protocol = status === 200 ? protocolOf(text) : undefined
    if (protocol !== undefined) return { protocol }
    const reason = await explainStatus(status, { url, env })
    return { problem: reason ?? `does not respond as an MCP server (status ${status})`, isKey: false }
  } catch (error) {
    return { problem: await explainError(error, { url, timeoutMs: probeTimeoutMs, env }), isKey: false }
  }
}

/** Reads a JSON response, or an event stream with one message. */
function protocolOf(text: string): string | undefined {
  const message = /^data: ?(.*)$/m.exec(text)?.[1] ?? text
  try {
    const { result } = JSON.parse(message)
    return typeof result?.protocolVersion === 'string' ? result.protocolVersion : undefined
  } catch {
    return undefined
  }
}
