import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeEncoder } from '../../fixtures/local-models/tiny-model.ts'
import { mcpClientOf } from '../../fixtures/mcp-client.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

const steps = async () => {
  const { body } = await app.call('GET', '/api/setup')
  const { steps, complete } = body as { steps: { name: string; done: boolean; skipped: boolean }[]; complete: boolean }
  return {
    complete,
    ...Object.fromEntries(steps.map(({ name, done, skipped }) => [name, done ? 'done' : skipped ? 'skipped' : 'open'])),
  }
}
const health = async () => ((await app.json('/api/health')).body as { setup: string }).setup

test('a step is done when its settings exist, or skipped, and the install stores that', async () => {
  expect(await steps()).toEqual({
    complete: false,
    credentials: 'open',
    library: 'open',
    ask: 'open',
    connect: 'open',
    llm: 'open',
    embedding: 'open',
    git: 'open',
  })
  expect(await health()).toBe('required')
  for (const step of ['llm', 'embedding', 'git', 'credentials']) await app.call('POST', `/api/setup/${step}/skip`)
  await app.call('PATCH', '/api/settings', { 'github.token': 'ghp_token' })
  expect(await steps()).toMatchObject({ complete: false, llm: 'skipped', git: 'done', library: 'open' })
  await app.git.create('acme/anvil', { files: { 'README.md': page('Anvil', 'It weighs a ton.') } })
  await app.queue('acme/anvil')
  expect(await steps()).toMatchObject({ complete: true, library: 'done', ask: 'open', connect: 'open' })
  expect(await health()).toBe('complete')
  await app.stop()
  app = await testInstall({ reopen: app })
  expect(await health()).toBe('complete')
})

test('a setup without models and git hosts is complete, because they are optional', async () => {
  const { body } = await app.call('GET', '/api/setup')
  const optional = (body as { steps: { name: string; optional: boolean }[] }).steps.filter(({ optional }) => optional)
  expect(optional.map(({ name }) => name)).toEqual(['llm', 'embedding', 'git'])
})

test('the steps ask and connect are done by the first question and the first request of an agent, also after a restart', async () => {
  const install = await testInstall()
  const state = async (app: TestInstall) => {
    const { body } = await app.call('GET', '/api/setup')
    return Object.fromEntries((body as { steps: { name: string; done: boolean }[] }).steps.map(({ name, done }) => [name, done]))
  }
  await install.git.create('acme/pulley', { files: { 'README.md': page('Pulley', 'It lifts the load.') } })
  await install.parse('acme/pulley')
  expect(await state(install)).toMatchObject({ library: true, ask: false, connect: false })
  await install.call('GET', '/api/v2/context?libraryId=/acme/pulley&query=load&type=json')
  expect(await state(install)).toMatchObject({ ask: true, connect: false })
  const client = await mcpClientOf(install, 'claude-code')
  await client.close()
  expect(await state(install)).toMatchObject({ ask: true, connect: true })
  await install.stop()
  const again = await testInstall({ reopen: install })
  expect(await state(again)).toMatchObject({ ask: true, connect: true })
  await again.close()
})

test('a model on the server begins by itself in a new install, and waits in one with libraries until an admin starts it', async () => {
  const state = async () => ((await app.call('GET', '/api/setup')).body as { embedding: unknown }).embedding
  expect(await state()).toMatchObject({ state: 'none', provider: null, leavesServer: false })
  writeEncoder(join(app.dataDir, 'models/all-minilm-l6-v2'))
  expect(await state()).toMatchObject({ state: 'active', provider: 'local', model: 'all-minilm-l6-v2', leavesServer: false })
  expect((await app.json('/api/health')).body).toMatchObject({ connectivity: { embedding_provider: 'local' } })
  // An install of before this setting has libraries.
  await app.call('PATCH', '/api/settings', { 'embedding.provider': 'none' })
  await app.git.create('acme/lever', { files: { 'README.md': page('Lever', 'It turns.') } })
  expect((await app.parse('acme/lever')).state).toBe('done')
  app.app.settings.change({ 'embedding.provider': null, 'embedding.approved': null })
  await app.stop()
  app = await testInstall({ reopen: app })
  expect(await state()).toMatchObject({
    state: 'waiting',
    cpuSeconds: expect.any(Number),
    sentence: expect.stringMatching(/takes about a minute of processor time.*set embedding\.provider to auto to start\.$/),
  })
  expect(app.app.ai.embedder()).toBeUndefined()
  await app.call('PATCH', '/api/settings', { 'embedding.provider': 'auto' })
  expect(await state()).toMatchObject({ state: 'active' })
  const [job] = app.app.jobs.list(1, 1, { kinds: ['reindex'] }).jobs
  expect(job).toMatchObject({ project: '/acme/lever' })
  expect(app.app.ai.embedder()?.model).toMatch(/^local \w+ all-minilm-l6-v2$/)
})

test('an unknown step is rejected', async () => {
  expect(await app.call('POST', '/api/setup/coffee/skip')).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})
