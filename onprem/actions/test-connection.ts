import { AppError } from '../../shared/errors.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { type Caller, wantsKey } from '../access/caller.ts'
import type { KeyStore } from '../accounts/key-store.ts'
import type { LibraryRules } from '../accounts/library-rules.ts'

export type TestConnectionPorts = {
  keys: Pick<KeyStore, 'create' | 'revoke'>
  settings: Pick<SettingsStore, 'get'>
  libraryRules: Pick<LibraryRules, 'current'>
  version: string
  now(): Date
}

export type TestedConnection = { ok: boolean; protocol: string | null; tools: string[]; ms: number; error?: string }

const maxMs = 15_000
const keyMs = 60_000

const [older, newer] = ['2025-11-25', '2026-07-28']

/** Connects to `/mcp` of this deployment as agents of both eras of MCP do, with their official clients, and lists its tools. */
export async function testConnection(ports: TestConnectionPorts, caller: Caller, server: string): Promise<TestedConnection> {
  const began = performance.now()
  const ms = () => Math.round(performance.now() - began)
  const key = wantsKey(ports) ? temporaryKey(ports, caller) : undefined
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key.key}` } : {}
  const url = new URL(`${server}/mcp`)
  const init = { requestInit: { headers, redirect: 'error' as const, signal: AbortSignal.timeout(maxMs) } }
  const info = { name: 'carrel-connection-test', version: ports.version }
  const walks = [walkOlder(url, info, init), walkNewer(url, info, init)]
  const [tools, others] = await Promise.allSettled(walks).finally(() => key && ports.keys.revoke(key.id))
  if (tools?.status === 'fulfilled' && others?.status === 'fulfilled')
    return { ok: true, protocol: newer, tools: tools.value, ms: ms() }
  const isBoth = tools?.status === others?.status
  const by = isBoth ? '' : ` by clients of MCP ${tools?.status === 'rejected' ? older : newer}`
  const why = [tools, others].flatMap((each) => (each?.status === 'rejected' ? [reason(each.reason)] : []))
  return { ok: false, protocol: null, tools: [], ms: ms(), error: `${url} cannot be used${by}: ${why[0]}.` }
}

type Info = { name: string; version: string }
type Init = { requestInit: { headers: Record<string, string>; redirect: 'error'; signal: AbortSignal } }

async function walkOlder(url: URL, info: Info, init: Init): Promise<string[]> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const client = new Client(info)
  return toolsOf(client, () => client.connect(new StreamableHTTPClientTransport(url, init)))
}

async function walkNewer(url: URL, info: Info, init: Init): Promise<string[]> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const client = new Client(info, { versionNegotiation: { mode: { pin: newer } } })
  return toolsOf(client, () => client.connect(new StreamableHTTPClientTransport(url, init)))
}

type AnyClient = { listTools(): Promise<{ tools: { name: string }[] }>; close(): Promise<void> }

async function toolsOf(client: AnyClient, connect: () => Promise<void>): Promise<string[]> {
  try {
    await connect()
    const { tools } = await client.listTools()
    return tools.map(({ name }) => name)
  } finally {
    await client.close().catch(() => undefined)
  }
}

/** The test reads what its caller may read, for a minute. */
function temporaryKey({ keys, now }: TestConnectionPorts, { holder }: Caller) {
  if (!holder) throw new AppError('invalid_api_key', 'This requires a key or a session.')
  const expiresAt = new Date(now().getTime() + keyMs)
  const { role, userId, libraries } = holder
  return keys.create({ name: 'connection test', expiresAt, role, userId, scope: 'read', libraries: libraries && [...libraries] })
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${message.replace(/\.$/, '')}${cause}`.slice(0, 500)
}
