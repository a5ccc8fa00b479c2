import { afterAll, beforeAll, expect, test } from 'vitest'
import { snippetsOf } from '../../fixtures/imports.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

const element = (libraryId: string, more: object) => ({
  project: libraryId,
  title: 'Docs',
  ...snippetsOf('The lever turns.'),
  ...more,
})

async function imported(...libraries: object[]): Promise<void> {
  const { status, body } = await app.call('POST', '/api/import-libraries?force=true', { libraries })
  expect([status, body.skipped]).toEqual([202, []])
  await expect.poll(() => app.app.jobs.active()).toEqual([])
}
const seenBy = async (key?: string) =>
  ((await app.json('/api/projects', { key })).body as { projects: { id: string }[] }).projects.map(({ id }) => id)

test('a library from a bundle is private if the bundle has the flag; without it, as in bundles of the hosted service, it is public', async () => {
  await imported(element('/acme/flagged', { private: true }), element('/acme/open', {}))
  app.app.settings.change({ 'permissions.hidePrivate': true })
  expect(await seenBy()).toEqual(['/acme/open'])
  expect(await seenBy(app.keys.member)).toEqual(['/acme/flagged', '/acme/open'])
})

test('an import never makes a private library public', async () => {
  await app.git.create('acme/secret', { files: { 'README.md': '# Secret\n\nSecret levers.\n' }, private: '*:sesame' })
  app.app.settings.change({ 'github.token': 'sesame', 'permissions.hidePrivate': true })
  await app.parse('acme/secret')
  await imported(element('/acme/secret', {}), element('/acme/secret@v1', { private: false }))
  await imported(element('/acme/flagged', { private: false }), element('/acme/flagged@v1', {}))
  expect(await seenBy()).toEqual(['/acme/open'])
  expect((await app.call('GET', '/api/projects/acme/secret')).body).toMatchObject({ imported: true, private: true })
})

test('a private version makes its library private', async () => {
  await imported(element('/acme/open@v2', { private: true }))
  expect(await seenBy()).toEqual([])
})

test('a refresh never makes a private library public', async () => {
  await app.git.create('acme/opened', { files: { 'README.md': '# Opened\n\nLevers.\n' }, private: '*:sesame' })
  await app.parse('acme/opened')
  await app.git.remove('acme/opened')
  await app.git.create('acme/opened', { files: { 'README.md': '# Opened\n\nLevers for all.\n' } })
  const { state } = await app.refresh('acme/opened')
  expect([state, (await app.call('GET', '/api/projects/acme/opened')).body.private]).toEqual(['done', true])
})
