import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { LibraryMetrics } from '../../../shared/usage/read-metrics.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
let key: string

const versions = JSON.stringify({ previousVersions: [{ tag: 'v1' }] })
const question = { query: 'How do I turn the lever?' }
const page = (word: string) =>
  `# Widgets\n\nAll about widgets.\n\n## Turning the ${word}\n\nTurn the ${word} with \`turn()\`:\n\n\`\`\`js\nturn('${word}')\n\`\`\`\n`

beforeAll(async () => {
  hosted = await testHosted()
  key = (await hosted.keyOf('Acme')).key
  for (const repo of ['acme/widgets', 'acme/gadgets', 'acme/quiet', 'acme/late']) {
    await hosted.git.create(repo, { files: { 'README.md': page('lever'), 'context7.json': versions }, tags: ['v1'] })
    expect(await hosted.add(repo)).toMatchObject({ state: 'finalized', error: null })
    await hosted.run('own', { library: `/${repo}`, teamspace: 'Acme' })
  }
})
afterAll(() => hosted.close())

const ask = (library: string, headers: Record<string, string> = {}, query = question) =>
  hosted.get(`/api/v2/context?${new URLSearchParams({ libraryId: library, ...query })}`, headers)

async function metrics(library: string): Promise<LibraryMetrics> {
  const answer = await hosted.get(`/api/v2/libs/metrics?${new URLSearchParams({ libraryId: library })}`, {
    authorization: `Bearer ${key}`,
  })
  expect(answer.status).toBe(200)
  return answer.json() as Promise<LibraryMetrics>
}

async function callMcp(library: string, name: string, headers: Record<string, string> = {}, modern = false): Promise<void> {
  const client = modern
    ? new ModernClient({ name, version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    : new Client({ name, version: '1' })
  const Transport = modern ? ModernTransport : StreamableHTTPClientTransport
  await client.connect(new Transport(new URL(`${hosted.url}/mcp`), { requestInit: { headers } }) as never)
  await client.callTool({ name: 'query-docs', arguments: { libraryId: library, ...question } })
  await client.close()
}

const day = new Date().toISOString().slice(0, 10)
const de = { 'cloudfront-viewer-country': 'DE' }

test('metrics have exactly the successful requests, by surface, client, country and topic', async () => {
  const library = '/acme/widgets'
  await ask(library, de)
  await ask(library, { ...de, 'x-carrel-source': 'web' })
  await ask(library, { 'x-context7-source': 'cli' })
  await ask(library, {
    'x-context7-source': 'mcp-server',
    'x-context7-client-ide': 'Cursor',
    'cloudfront-viewer-address': '10.1.1.1:99',
  })
  await ask(library, {
    'x-context7-source': 'mcp-server',
    'x-context7-client-ide': 'Cursor',
    'cloudfront-viewer-address': '10.1.1.2:99',
  })
  await ask(library, {
    'x-context7-source': 'mcp-server',
    'x-context7-client-ide': 'Cursor',
    'cloudfront-viewer-address': '10.1.1.2:77',
  })
  await callMcp(library, 'codex-mcp-client', { 'cloudfront-viewer-address': '10.1.1.9:1' }, true)
  // These are not counted: a bot, an error, a HEAD request, a search, the metrics themselves.
  await fetch(`${hosted.url}/api/v2/context?${new URLSearchParams({ libraryId: library, ...question })}`, { method: 'HEAD' })
  await ask(library, { 'user-agent': 'Examplebot/1.0' })
  await ask(library, {}, { query: 'zzzz qqqq' })
  await hosted.get('/api/v2/libs/search?libraryName=widgets')
  const expected = {
    total: { page: 1, txt: 1, mcp: 4, cli: 1 },
    daily: [{ date: day, page: 1, txt: 1, mcp: 4, cli: 1, total: 7 }],
    mcpClients: {
      dailyData: [{ date: day, uniqueUsersByClient: { codex: 1, cursor: 2 }, totalUniqueUsers: 3 }],
    },
    topics: ['turning the lever', 'widgets'].map((topic) => ({ topic, count: 7 })),
    countries: [{ country: 'DE', count: 2 }],
  }
  // A total and its days are read one after the other, perhaps with a write between.
  await vi.waitFor(async () => expect(await metrics(library)).toEqual(expected), 120_000)
})

test('a request that pins a version is counted for the library and for the version', async () => {
  await ask('/acme/gadgets')
  await ask('/acme/gadgets@v1')
  await ask('/acme/gadgets/v1', { 'x-carrel-source': 'web' })
  const totals = async () => [(await metrics('/acme/gadgets')).total, (await metrics('/acme/gadgets@v1')).total]
  const expected = [
    { page: 1, txt: 2, mcp: 0, cli: 0 },
    { page: 1, txt: 1, mcp: 0, cli: 0 },
  ]
  await vi.waitFor(async () => expect(await totals()).toEqual(expected), 120_000)
})

test('a library without requests has empty metrics', async () => {
  expect(await metrics('/acme/quiet')).toEqual({
    total: { page: 0, txt: 0, mcp: 0, cli: 0 },
    daily: [],
    mcpClients: { dailyData: [] },
    topics: [],
    countries: [],
  })
})

test('a library that is removed and added again starts with empty metrics, also for its versions', async () => {
  const totals = async () => [(await metrics('/acme/gadgets')).total.txt, (await metrics('/acme/gadgets@v1')).total.txt]
  const before = await totals()
  await ask('/acme/gadgets@v1')
  await vi.waitFor(async () => expect(await totals()).toEqual(before.map((count) => count + 1)), 120_000)
  await hosted.run('remove', { library: '/acme/gadgets' })
  await hosted.add('acme/gadgets')
  await hosted.run('own', { library: '/acme/gadgets', teamspace: 'Acme' })
  for (const id of ['/acme/gadgets', '/acme/gadgets@v1']) {
    expect(await metrics(id)).toMatchObject({ total: { txt: 0, page: 0 }, daily: [], topics: [], countries: [] })
  }
})

test('an event is counted after its response', async () => {
  await ask('/acme/late')
  await vi.waitFor(async () => expect((await metrics('/acme/late')).total.txt).toBe(1), {
    timeout: 60_000,
    interval: 50,
  })
})

test('no question, address, key or session of a caller is logged or stored', async () => {
  const secrets = { query: 'unmistakable-question-words lever', address: '203.0.113.77', session: 'session-8f1b2c' }
  await ask(
    '/acme/widgets',
    { 'cloudfront-viewer-address': `${secrets.address}:5`, authorization: `Bearer ${key}` },
    { query: secrets.query },
  )
  await callMcp('/acme/widgets', 'cursor', {
    'mcp-session-id': secrets.session,
    'cloudfront-viewer-address': `${secrets.address}:5`,
  })
  const logged = hosted.log.text()
  for (const secret of [...Object.values(secrets), key]) expect(logged).not.toContain(secret)
})
