import { AppError } from '../../shared/errors.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { type Caller, wantsKey } from '../access/caller.ts'
import type { KeyStore } from '../accounts/key-store.ts'

export type TestConnectionPorts = {
  keys: Pick<KeyStore, 'create' | 'revoke'>
  settings: Pick<SettingsStore, 'get'>
  version: string
  now(): Date
}

export type TestedConnection = { ok: boolean; protocol: string | null; tools: string[]; ms: number; error?: string }

const maxMs = 15_000
const keyMs = 60_000

/** Connects to `/mcp` of this deployment as an agent does, with the official client, and lists its tools. */
export async function testConnection(ports: TestConnectionPorts, caller: Caller, server: string): Promise<TestedConnection> {
  const began = performance.now()
  const ms = () => Math.round(performance.now() - began)
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const key = wantsKey(ports) ? temporaryKey(ports, caller) : undefined
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key.key}` } : {}
  const transport = new StreamableHTTPClientTransport(new URL(`${server}/mcp`), {
    requestInit: { headers, redirect: 'error', signal: AbortSignal.timeout(maxMs) },
  })
  const client = new Client({ name: 'carrel-connection-test', version: ports.version })
  try {
    await client.connect(transport)
    const { tools } = await client.listTools()
    return { ok: true, protocol: client.getNegotiatedProtocolVersion() ?? null, tools: tools.map(({ name }) => name), ms: ms() }
  } catch (error) {
    return { ok: false, protocol: null, tools: [], ms: ms(), error: `${server}/mcp cannot be used: ${reason(error)}.` }
  } finally {
    await client.close().catch(() => undefined)
    if (key) ports.keys.revoke(key.id)
  }
}

/** The test has the rights of its caller, for a minute. */
function temporaryKey({ keys, now }: TestConnectionPorts, { holder }: Caller) {
  if (!holder) throw new AppError('invalid_api_key', 'This requires a key or a session.')
  const expiresAt = new Date(now().getTime() + keyMs)
  return keys.create({ name: 'connection test', expiresAt, role: holder.role, userId: holder.userId })
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${message.replace(/\.$/, '')}${cause}`.slice(0, 500)
}
