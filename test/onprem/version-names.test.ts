import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { page } from '../fixtures/page.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  const files = { 'README.md': page('Anvil', 'The anvil weighs a ton.') }
  await install.git.create('acme/anvil', { files, tags: ['v1.0.0'] })
  await install.git.commit('acme/anvil', { files, branch: 'release/2.0' })
  expect((await install.parse('acme/anvil', { versions: ['1.0.0', 'release~2.0'] })).error).toBeNull()
})
afterAll(() => install.close())

const versions = () => install.app.catalog.find({ owner: 'acme', repo: 'anvil' })?.versions
const total = async (path: string) => {
  const { status, body } = await install.call('GET', path)
  return [status, (body as { total?: unknown }).total]
}

test('a version is found without its v, and with a slash, by every route that takes one', async () => {
  expect(versions()).toEqual(['release~2.0', 'v1.0.0'])
  for (const id of ['/acme/anvil@1.0.0', '/acme/anvil/release/2.0', '/acme/anvil@V1.0.0'])
    expect(await install.context(id, 'anvil'), id).toContain('weighs a ton')
  expect(await total('/api/projects/acme/anvil/pages?version=release/2.0')).toEqual([200, 1])
  const counted = { page: 0, txt: 2, mcp: 0, cli: 0 }
  const metrics = () => total('/api/v2/libs/metrics?libraryId=/acme/anvil@1.0.0')
  await vi.waitFor(async () => expect(await metrics()).toEqual([200, counted]), { timeout: 60_000, interval: 50 })
  const { body } = await install.call('GET', '/api/usage?libraryId=/acme/anvil@1.0.0')
  expect(body).toMatchObject({ libraryId: '/acme/anvil@v1.0.0', total: { txt: 2 } })
  const refresh = await install.call('POST', '/api/projects/acme/anvil@1.0.0/refresh')
  expect(refresh.status).toBe(202)
  await install.ended(Number(refresh.body.queueId))
})

test('a version is removed by a name that finds it', async () => {
  expect((await install.call('DELETE', '/api/projects/acme/anvil@9.0.0')).status).toBe(404)
  expect((await install.call('DELETE', '/api/projects/acme/anvil@1.0.0')).status).toBe(200)
  expect(versions()).toEqual(['release~2.0'])
})
