import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventReader } from '../../fixtures/event-reader.ts'
import { mcpClientOf } from '../../fixtures/mcp-client.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

const agents = async (of = app) =>
  ((await of.call('GET', '/api/connect/agents')).body as { agents: { client: string; at: string }[] }).agents

test('a test of the connection by Carrel itself is no request of an agent', async () => {
  expect((await app.call('POST', '/api/connect/test')).body).toMatchObject({ ok: true })
  expect(await agents()).toEqual([])
})

test('the first request of an agent is listed and sent as an event, but not to callers without a key', async () => {
  const [member, stranger] = [await eventReader(app, { key: app.keys.member }), await eventReader(app)]
  const client = await mcpClientOf(app, 'claude-code')
  const { data } = await member.sees('agent', { client: 'claude-code' })
  expect(await agents()).toEqual([{ client: 'claude-code', at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) }])
  expect(data).toEqual({ client: 'claude-code', at: expect.any(String) })
  await client.close()
  await app.git.create('acme/new', { files: { 'README.md': '# New\n\nWords about levers.\n' } })
  const id = await app.queue('acme/new')
  await stranger.sees('job', { id, state: 'done' })
  expect(stranger.events.filter(({ event }) => event === 'agent')).toEqual([])
  member.close()
  stranger.close()
})

test('an agent that Carrel does not know is listed as other', async () => {
  await (await mcpClientOf(app, 'my-own-agent')).close()
  expect((await agents()).map(({ client }) => client)).toEqual(['other', 'claude-code'])
})

test('a rejected request is no request of an agent', async () => {
  const other = await testInstall()
  await other.call('PATCH', '/api/settings', { 'permissions.requireMcpAuth': true })
  await expect(mcpClientOf(other, 'cursor')).rejects.toThrow()
  expect(await agents(other)).toEqual([])
  await other.close()
})

test('the last requests of agents survive a restart', async () => {
  const other = await testInstall()
  await (await mcpClientOf(other, 'zed')).close()
  await other.stop()
  const again = await testInstall({ reopen: other })
  expect((await agents(again)).map(({ client }) => client)).toEqual(['zed'])
  await again.close()
})
