import { afterAll, beforeAll, expect, test } from 'vitest'
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
    llm: 'open',
    embedding: 'open',
    git: 'open',
    library: 'open',
  })
  expect(await health()).toBe('required')
  for (const step of ['llm', 'embedding', 'git', 'credentials']) await app.call('POST', `/api/setup/${step}/skip`)
  await app.call('PATCH', '/api/settings', { 'github.token': 'ghp_token' })
  expect(await steps()).toMatchObject({ complete: false, llm: 'skipped', git: 'done', library: 'open' })
  await app.git.create('acme/anvil', { files: { 'README.md': page('Anvil', 'It weighs a ton.') } })
  await app.queue('acme/anvil')
  expect(await steps()).toMatchObject({ complete: true, library: 'done' })
  expect(await health()).toBe('complete')
  await app.stop()
  app = await testInstall({ reopen: app })
  expect(await health()).toBe('complete')
})

test('an unknown step is rejected', async () => {
  expect(await app.call('POST', '/api/setup/coffee/skip')).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})
