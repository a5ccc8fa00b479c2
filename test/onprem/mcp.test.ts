import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestInstall } from '../fixtures/test-install.ts'
import { widgetsInstall } from '../fixtures/widgets-install.ts'

let app: TestInstall

beforeAll(async () => {
  app = await widgetsInstall()
})
afterAll(() => app.close())

type Call = { name: string; arguments: Record<string, string> }
type AnyClient = {
  getServerVersion(): { name: string; version: string } | undefined
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: Call): Promise<unknown>
  close(): Promise<void>
}

const info = { name: 'test', version: '1' }
const init = (key?: string) => ({ requestInit: { headers: key === undefined ? undefined : { authorization: `Bearer ${key}` } } })

const connect: Record<string, (key?: string) => Promise<AnyClient>> = {
  v1: async (key) => {
    const client = new Client(info)
    await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), init(key)))
    return client
  },
  v2: async (key) => {
    const client = new ModernClient(info)
    await client.connect(new ModernTransport(new URL(`${app.url}/mcp`), init(key)))
    return client
  },
  'v2 that speaks only 2026-07-28': async (key) => {
    const client = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(new ModernTransport(new URL(`${app.url}/mcp`), init(key)))
    return client
  },
}

async function call(
  connectTo: (key?: string) => Promise<AnyClient>,
  name: string,
  args: Record<string, string>,
): Promise<string> {
  const client = await connectTo()
  const result = (await client.callTool({ name, arguments: args })) as {
    isError?: boolean
    content: { type: string; text: string }[]
  }
  await client.close()
  expect(result.content.map(({ type }) => type)).toEqual(['text'])
  return result.content[0]?.text ?? ''
}

const clients = Object.entries(connect)
const v1 = connect.v1 ?? expect.fail()

test.each(clients)('a client %s finds Carrel and its tools', async (_version, connectTo) => {
  const client = await connectTo()
  expect(client.getServerVersion()).toMatchObject({ name: 'Carrel', version: app.app.version })
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    'resolve-library-id',
    'query-docs',
    'list-pages',
    'read-page',
  ])
  await client.close()
})

test.each(clients)('a client %s resolves a name to the id of a parsed library', async (_version, connectTo) => {
  expect(
    await call(connectTo, 'resolve-library-id', { libraryName: 'widgets', query: 'paint a widget' }),
  ).toBe(`Available Libraries:

- Title: Widgets
- Context7-compatible library ID: /acme/widgets
- Description: Small widgets for web pages
- Code Snippets: 2
- Source Reputation: Unknown
- Versions: release~2.x, v1.0.0
- Source: Local`)
})

test.each([
  ['acme/levers', 'No exact match; of the same owner:'],
  ['widgits', 'No exact match; similar names:'],
])('the answer for %s begins with "%s"', async (libraryName, heading) => {
  const text = await call(v1, 'resolve-library-id', { libraryName, query: 'paint' })
  expect(text.split('\n').slice(0, 5)).toEqual(['Available Libraries:', '', heading, '', '- Title: Widgets'])
})

test.each(clients)('a client %s gets the same from query-docs as from /api/v2/context', async (_version, connectTo) => {
  const query = 'how do I paint a widget'
  const rest = await app.ask(`/api/v2/context?${new URLSearchParams({ libraryId: '/acme/widgets', query })}`)
  expect(await call(connectTo, 'query-docs', { libraryId: '/acme/widgets', query })).toBe(await rest.text())
})

test.each([
  ['resolve-library-id', { libraryName: 'zzqqxx', query: 'x' }, /^No library matches "zzqqxx"\./],
  ['query-docs', { libraryId: '/acme/nothing', query: 'x' }, /^\/acme\/nothing is not in this install\./],
  [
    'query-docs',
    { libraryId: '/acme/widgets@v9', query: 'x' },
    /^\/acme\/widgets has no version "v9"\. There are: release~2\.x, v1\.0\.0\./,
  ],
  ['query-docs', { libraryId: '/acme/widgets', query: 'quantum zebra' }, /^Nothing in \/acme\/widgets matches this question\./],
  ['query-docs', { libraryId: '/acme/widgets/v1.1', query: 'x' }, /^\/acme\/widgets has no version "v1\.1"\. There are:/],
  ['query-docs', { libraryId: 'widgets', query: 'x' }, /^"widgets" is not a library id:/],
  ['query-docs', { libraryId: '/acme/../x', query: 'x' }, /^"\/acme\/\.\.\/x" is not a library id:/],
])('the tool %s with %j returns the error to the model as a sentence', async (name, args, text) => {
  expect(await call(v1, name, args)).toMatch(text)
})

test.each([
  ['query-docs', { context7CompatibleLibraryID: '/acme/widgets@v1.0.0', userQuery: 'paint' }],
  ['query-docs', { libraryName: '/Acme/Widgets', question: 'paint' }],
  ['query-docs', { libraryName: 'https://github.com/acme/widgets', question: 'paint' }],
  ['query-docs', { libraryId: 'acme/widgets/1.0.0', query: 'paint' }],
])('the tool %s accepts the arguments of clients: %j', async (name, args) => {
  expect(await call(v1, name, args)).toContain('paintWidget')
})

test.each(clients)(
  'a client %s is rejected without a key if one is required, and served with one',
  async (_version, connectTo) => {
    app.app.settings.change({ 'permissions.requireMcpAuth': true })
    try {
      await expect(connectTo()).rejects.toThrow(/This requires an API key|requires authorization/)
      const client = await connectTo(app.keys.member)
      expect((await client.listTools()).tools).toHaveLength(4)
      await client.close()
    } finally {
      app.app.settings.change({ 'permissions.requireMcpAuth': null })
    }
  },
)

test('a client with the key of another service is served if no key is required', async () => {
  const client = await v1('ctx7sk-0123456789')
  expect((await client.listTools()).tools).toHaveLength(4)
  await client.close()
})

test.each(['GET', 'DELETE'])('the method %s /mcp is 405, because there are no sessions to read or end', async (method) => {
  const response = await app.ask('/mcp', { method })
  expect({ status: response.status, allow: response.headers.get('allow'), body: await response.json() }).toEqual({
    status: 405,
    allow: 'POST',
    body: { jsonrpc: '2.0', error: { code: -32000, message: 'Method not allowed.' }, id: null },
  })
})

test('a traceparent in the metadata of a call is in the log line of its request', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const params = { name: 'query-docs', arguments: { libraryId: '/acme/widgets', query: 'paint' }, _meta: { traceparent } }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  await app.ask('/mcp', {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const traced = () => app.log.lines.filter(({ fields }) => fields.traceparent === traceparent)
  await expect.poll(() => traced().map(({ fields }) => fields.path)).toEqual(['/mcp'])
})

test('query-docs reads a pasted error of 20,000 characters and cuts a longer one with a note', async () => {
  const error = `paint a widget\n${'    at install (/srv/node_modules/widgets/install.js:22:17)\n'.repeat(320)}`
  const query = (text: string) => call(v1, 'query-docs', { libraryId: '/acme/widgets', query: text })
  expect(await query(error)).toBe(await query('paint a widget'))
  expect(await query(error + error)).toMatch(/^Note: Only the first 20,000 characters of the question were read\./)
})

test('query-docs leaves out the snippets of a question that is not covered on request', async () => {
  const asked = { libraryId: '/acme/widgets', query: 'kafka consumer group rebalancing timeout of a widget' }
  expect(await call(v1, 'query-docs', asked)).toContain('Source:')
  expect(await call(v1, 'query-docs', { ...asked, uncovered: 'hide' })).not.toContain('Source:')
})
