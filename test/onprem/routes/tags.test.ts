import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { head } from '../../fixtures/bundle.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
const dayMs = 24 * 60 * 60 * 1000

beforeAll(async () => {
  app = await testInstall()
  for (const name of ['anvil', 'bellows']) {
    const code = '```ts\nconst hammer = lift()\n```\n\n```sh\nnpm install anvil\n```\n'
    await app.git.create(`acme/${name}`, { files: { 'README.md': `${page(name, 'It weighs a pound.')}\n${code}` } })
    await app.parse(`acme/${name}`)
  }
})
afterAll(() => app.close())

const change = (body: unknown, id = 'acme/anvil') =>
  app.json(`/api/projects/${id}/tags`, { method: 'PATCH', key: app.keys.member, body })
const list = async (query: string) => {
  const { body } = await app.json(`/api/projects?${query}`, { key: app.keys.member })
  const { projects, tags } = body as { projects: { id: string }[]; tags: string[] }
  return { ids: projects.map(({ id }) => id), tags }
}
const library = async (id = 'acme/anvil') => (await app.json(`/api/projects/${id}`)).body as Record<string, unknown>

test('tags are added and removed, and a list can be filtered by them', async () => {
  expect(await change({ add: ['Web', 'team a', 'web'] })).toMatchObject({ status: 200, body: { tags: ['team a', 'web'] } })
  expect(await change({ add: ['forge'], remove: ['TEAM A', 'never added'] })).toMatchObject({ body: { tags: ['forge', 'web'] } })
  expect(await library()).toMatchObject({ tags: ['forge', 'web'] })
  expect(await list('tag=Web')).toEqual({ ids: ['/acme/anvil'], tags: ['forge', 'web'] })
  expect(await list('tag=we')).toEqual({ ids: [], tags: ['forge', 'web'] })
})

test('a library keeps its tags when it is parsed again, and loses them when it is deleted', async () => {
  await change({ add: ['web'] }, 'acme/bellows')
  await app.git.commit('acme/bellows', { files: { 'more.md': page('More', 'It blows.') } })
  await app.parse('acme/bellows')
  expect(await library('acme/bellows')).toMatchObject({ tags: ['web'] })
  await app.git.create('acme/short', { files: { 'README.md': page('Short', 'It is short.') } })
  await app.parse('acme/short')
  await change({ add: ['web'] }, 'acme/short')
  await app.call('DELETE', '/api/projects/acme/short')
  await app.parse('acme/short')
  expect(await library('acme/short')).toMatchObject({ tags: [] })
})

test.each([
  ['an empty tag', { add: [''] }, 400],
  ['a tag of a control character', { add: ['a\u0007b'] }, 400],
  ['a tag of 41 characters', { add: ['a'.repeat(41)] }, 400],
  ['a comma in a tag', { add: ['a,b'] }, 400],
  ['21 tags at once', { add: Array.from({ length: 21 }, (_, n) => `t${n}`) }, 400],
])('%s is rejected', async (_, body, status) => {
  expect((await change(body)).status).toBe(status)
})

test('a library has at most 20 tags', async () => {
  const before = (await library()).tags as string[]
  const full = Array.from({ length: 20 - before.length }, (_, n) => `full ${n}`)
  expect((await change({ add: full })).status).toBe(200)
  expect(await change({ add: ['one more'] })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('21 tags') },
  })
  expect((await library()).tags).toHaveLength(20)
  await change({ remove: full })
})

test('a change that changes nothing is not in the audit log', async () => {
  await change({ add: ['web'] })
  const { total } = app.app.audit.list(1, 1)
  await change({ add: ['web'], remove: ['never added'] })
  expect(app.app.audit.list(1, 1).total).toBe(total)
})

test('a library has the programming language of most of its code, also if it was imported', async () => {
  expect(await library()).toMatchObject({ codeLanguage: 'TypeScript' })
  const codeSnippets = [
    { codeTitle: 'Turn', codeDescription: 'Turns it.', codeId: 'https://example.com/turn', codeLanguage: 'go', codeTokens: 9 },
  ].map((each) => ({ ...each, codeList: [{ language: 'go', code: 'turn(lever)' }] }))
  const libraries = [{ ...head({ project: '/acme/imported' }), ...snippetsOf('Prose.'), codeSnippets }]
  await app.json('/api/import-libraries', { method: 'POST', key: app.keys.member, body: { libraries } })
  await expect.poll(async () => (await library('acme/imported')).state).toBe('finalized')
  expect(await library('acme/imported')).toMatchObject({ codeLanguage: 'Go' })
})

test('a library is stale if no job has read it for so many days', async () => {
  expect((await list('staleDays=19')).ids).toEqual([])
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20 * dayMs })
  onTestFinished(() => void vi.useRealTimers())
  await app.parse('acme/bellows')
  expect((await list('staleDays=19')).ids).toContain('/acme/anvil')
  expect((await list('staleDays=19')).ids).not.toContain('/acme/bellows')
  expect((await list('staleDays=21')).ids).toEqual([])
  expect((await app.json('/api/projects?staleDays=0')).status).toBe(400)
})
