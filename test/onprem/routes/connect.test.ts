import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordingServer } from '../../fixtures/recording-server.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

const tested = (init: { key?: string; headers?: Record<string, string> } = { key: app.keys.member }) =>
  app.json('/api/connect/test', { method: 'POST', ...init })

test('the test connects as an agent does and lists the tools', async () => {
  expect(await tested()).toMatchObject({
    status: 200,
    body: { ok: true, protocol: '2026-07-28', tools: ['resolve-library-id', 'query-docs', 'list-pages', 'read-page'] },
  })
})

test('the test uses a temporary key with requireMcpAuth, and deletes it afterwards', async () => {
  app.app.settings.change({ 'permissions.requireMcpAuth': true })
  const before = app.app.keys.list().length
  expect(await tested()).toMatchObject({ body: { ok: true } })
  expect(app.app.keys.list().length).toBe(before)
  app.app.settings.change({ 'permissions.requireMcpAuth': false })
})

test('the test never connects to a host that its caller names', async () => {
  const { body } = await tested({ key: app.keys.member, headers: { host: 'localhost:1', 'x-forwarded-host': 'evil.example' } })
  expect(body).toMatchObject({ ok: true })
})

test.each([
  ['newer', '2026-07-28', (isNewer: boolean) => !isNewer],
  ['older', '2025-11-25', (isNewer: boolean) => isNewer],
])('the test fails if a proxy passes no requests of %s clients', async (_, protocol, passes) => {
  let target = ''
  const proxy = await recordingServer(async ({ method, headers }, response, incoming) => {
    if (!passes(headers['mcp-method'] !== undefined)) return response.writeHead(400).end()
    const sent = { 'content-type': 'application/json', accept: headers.accept ?? '' }
    const modern = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))) as typeof sent
    const body = method === 'POST' ? { body: await text(incoming) } : {}
    const answer = await fetch(`${target}/mcp`, { method, headers: { ...sent, ...modern }, ...body })
    return response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  const other = await testInstall({ env: { PUBLIC_URL: proxy.url } })
  target = other.url
  const { body } = await other.json('/api/connect/test', { method: 'POST', key: other.keys.member })
  expect(body).toMatchObject({
    ok: false,
    tools: [],
    error: expect.stringContaining(`${proxy.url}/mcp cannot be used by clients of MCP ${protocol}: `),
  })
  await other.close()
  await proxy.close()
})

test('an address that does not respond is reported with the reason', async () => {
  const other = await testInstall({ env: { PUBLIC_URL: 'http://127.0.0.1:9/docs' } })
  const { body } = await other.json('/api/connect/test', { method: 'POST', key: other.keys.member })
  expect(body).toMatchObject({
    ok: false,
    tools: [],
    error: expect.stringContaining('http://127.0.0.1:9/docs/mcp cannot be used: '),
  })
  await other.close()
})
