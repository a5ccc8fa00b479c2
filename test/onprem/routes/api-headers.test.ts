import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../../fixtures/send.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { methodOf, routes } from '../routes.ts'

let app: TestInstall

beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

const protection = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': expect.stringContaining('no-store'),
}

test.each(routes)('$route is neither cached nor read by other sites', async ({ path, body, ...route }) => {
  const authorization = `Bearer ${app.keys.admin}`
  const headers = { host: '127.0.0.1', authorization, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const answers = [
    await send(app.url, path, { method: methodOf({ path, ...route }), headers, ...(body !== undefined && { body }) }),
    await send(app.url, path, { method: methodOf({ path, ...route }), headers: { host: 'evil.example' } }),
  ]
  for (const answer of answers) expect(answer.headers).toMatchObject(protection)
})

test('a path of the API that does not exist is neither cached nor read by other sites', async () => {
  expect((await send(app.url, '/api/missing', { headers: { host: 'localhost' } })).headers).toMatchObject(protection)
})

test('a stream of events is neither cached nor read by other sites', async () => {
  const stream = await app.ask('/api/events')
  expect(Object.fromEntries(stream.headers)).toMatchObject(protection)
  await stream.body?.cancel()
})

test('a page of an allowed origin still reads /mcp', async () => {
  app.app.settings.change({ 'mcp.allowedOrigins': 'https://app.example' })
  const headers = { host: 'localhost', origin: 'https://app.example' }
  const asked = await send(app.url, '/mcp', {
    method: 'OPTIONS',
    headers: { ...headers, 'access-control-request-method': 'POST' },
  })
  const answer = await send(app.url, '/mcp', { method: 'POST', headers, body: '{' })
  app.app.settings.change({ 'mcp.allowedOrigins': null })
  expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([204, 'https://app.example'])
  expect(answer.headers).toMatchObject({ ...protection, 'access-control-allow-origin': 'https://app.example' })
})
