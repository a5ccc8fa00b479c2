import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parseLibraryId } from '../../shared/library.ts'
import { page } from '../fixtures/page.ts'
import { aiOf, type TestEmbedder, testEmbedder } from '../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

// Whole installs are slow on a busy machine.
let install: TestInstall
let embedder: TestEmbedder | undefined
const tags = Array.from({ length: 12 }, (_, n) => `v1.0.${n}`)
const docs = page('A', 'A lever turns a wheel.', 'A spring moves a valve.')

beforeEach(async () => {
  embedder = undefined
  install = await testInstall({ openAi: () => aiOf(() => embedder, []), limits: { retiredMs: 0 } })
  await install.git.create('acme/docs', { files: { 'a.md': docs, 'carrel.json': '{"rules":["Use levers."]}' }, tags })
})
afterEach(() => install.close())

const versions = () => install.app.catalog.versions(parseLibraryId('/acme/docs'))
const generations = () => new Set(versions().map(({ generation }) => generation))
const answers = async (version: string) => {
  const text = await install.context(`/acme/docs${version}`, 'lever wheel')
  return [text.includes('A lever turns a wheel.'), text.includes('Use levers.')]
}

test('tags of one commit share one generation, each served under its own name', async () => {
  await install.parse('acme/docs', { versions: tags })
  expect([versions().length, generations().size, (await install.tables()).length]).toEqual([13, 1, 2])
  expect(versions().map(({ version, ref }) => [version, ref])).toContainEqual(['v1.0.7', 'v1.0.7'])
  for (const version of ['', '@v1.0.3', '@v1.0.11']) expect(await answers(version), version).toEqual([true, true])
  const { body } = await install.call('GET', '/api/projects/acme/docs')
  expect(body.versions).toHaveLength(12)
})

test('refreshing or removing a version keeps the generation for the versions that share it', async () => {
  await install.parse('acme/docs', { versions: tags })
  const [shared] = generations()
  await install.git.commit('acme/docs', {
    files: { 'a.md': page('A', 'A crank turns a wheel.', 'A piston moves a valve.') },
  })
  await install.refresh('acme/docs')
  await vi.waitFor(() => expect(generations().size).toBe(2))
  expect(versions().filter(({ generation }) => generation === shared)).toHaveLength(12)
  expect(await answers('@v1.0.3')).toEqual([true, true])
  await install.call('DELETE', '/api/projects/acme/docs@v1.0.0')
  expect(await answers('@v1.0.3')).toEqual([true, true])
  for (const tag of tags.slice(1)) await install.call('DELETE', `/api/projects/acme/docs@${tag}`)
  await until(async () => (await install.tables()).every((name) => !name.startsWith(shared ?? '')))
  expect((await install.tables()).length).toBe(2)
})

test('a re-index embeds a shared generation once, and keeps its vectors until the last version is removed', async () => {
  await install.parse('acme/docs', { versions: tags })
  embedder = testEmbedder()
  await install.call('POST', '/api/reindex')
  await until(() => install.app.jobs.list(1, 1).jobs[0]?.finishedAt)
  expect([versions().length, generations().size]).toEqual([13, 1])
  expect(install.app.jobs.list(1, 1).jobs[0]?.report?.textsEmbedded).toBe(2)
  const [generation = ''] = generations()
  await install.call('DELETE', '/api/projects/acme/docs@v1.0.0')
  expect(install.app.vectors.modelOf(generation)).toBe('test/features')
  await install.call('DELETE', '/api/projects/acme/docs')
  expect(install.app.vectors.users()).toEqual([])
})

test('versions of one commit are read again with another selection, once', async () => {
  await install.parse('acme/docs', { versions: tags })
  const before = generations()
  await install.parse('acme/docs', { versions: tags, excludeFiles: ['b.md'] })
  expect([versions().length, generations().size]).toEqual([13, 1])
  expect([...generations()]).not.toEqual([...before])
})
