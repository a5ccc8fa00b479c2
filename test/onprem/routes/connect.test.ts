import { afterAll, beforeAll, expect, test } from 'vitest'
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
    body: { ok: true, protocol: expect.stringMatching(/^\d{4}-/), tools: ['resolve-library-id', 'query-docs'] },
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
