import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FakeLlm, fakeLlm } from '../../fixtures/fake-llm.ts'
import { page } from '../../fixtures/page.ts'
import { aiOf, type TestEmbedder, testEmbedder } from '../../fixtures/test-embedder.ts'
import { type LoggedJob, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

// Whole installs are slow on a busy machine.
let install: TestInstall
let embedder: TestEmbedder | undefined
let llm: FakeLlm | undefined

beforeEach(async () => {
  embedder = undefined
  llm = undefined
  install = await testInstall({ openAi: () => ({ ...aiOf(() => embedder), llm: () => llm }), limits: { retryPausesMs: [50] } })
})
afterEach(() => install.close())

const files = {
  'a.md': page('A', 'A lever turns a wheel.', 'A spring moves a valve.'),
  'b.md': page('B', 'A crank lifts a bucket.', 'A piston fills a pump.'),
  'c.md': page('C', 'A pendulum swings.'),
}
const lines = ({ log }: LoggedJob) => log.map(({ line }) => line).join('\n')
const counts = ({ state, report }: LoggedJob) => [state, report?.filesRead, report?.filesKept, report?.snippetsAfter]
const addresses = async (query: string) =>
  [...(await install.context('/acme/docs', query)).matchAll(/blob\/(\w+)\/(\S+?)(?:#|\s|$)/g)].map(([, commit, path]) => [
    commit,
    path,
  ])

describe('a refresh after a commit', () => {
  test('reads changed, new and moved files, keeps the others, and all snippets link to the new commit', async () => {
    await install.git.create('acme/docs', { files })
    expect(counts(await install.parse('acme/docs'))).toEqual(['done', 3, 0, 5])
    const commit = await install.git.commit('acme/docs', {
      files: { 'b.md': page('B', 'A crank turns a mill.'), 'c.md': null, 'moved/c.md': files['c.md'] },
    })
    const job = await install.refresh('acme/docs')
    expect(counts(job)).toEqual(['done', 2, 1, 4])
    expect(lines(job)).toContain('main: 4 snippets, 2 files read, 1 unchanged file kept, 0 skipped.')
    expect(await addresses('lever wheel')).toContainEqual([commit, 'a.md'])
    expect(await addresses('pendulum')).toContainEqual([commit, 'moved/c.md'])
    expect(await install.context('/acme/docs', 'bucket')).not.toContain('bucket')
  })

  test('reads every file if it is forced, and keeps files that another selection has too', async () => {
    await install.git.create('acme/docs', { files })
    await install.parse('acme/docs')
    expect(counts(await install.parse('acme/docs', { excludeFiles: ['c.md'] }))).toEqual(['done', 0, 2, 4])
    expect(counts(await install.parse('acme/docs'))).toEqual(['done', 1, 2, 5])
    expect(counts(await install.parse('acme/docs', { force: true }))).toEqual(['done', 3, 0, 5])
  })

  test('requests no vectors for unchanged pages, also after the index was rebuilt with other vectors', async () => {
    embedder = testEmbedder()
    await install.git.create('acme/docs', { files })
    await install.parse('acme/docs')
    await install.embedded('acme/docs')
    embedder = testEmbedder({ model: 'test/other', dimensions: 32 })
    await install.call('POST', '/api/reindex')
    await install.embedded('acme/docs')
    const before = embedder.texts.length
    await install.git.commit('acme/docs', { files: { 'c.md': page('C', 'A gnomon throws a shadow.') } })
    expect(counts(await install.refresh('acme/docs'))).toEqual(['done', 1, 2, 5])
    await install.embedded('acme/docs')
    expect(embedder.texts.slice(before)).toEqual([expect.stringContaining('gnomon')])
  })

  test('reads pages again that a language model could improve, and requests nothing twice', async () => {
    const generic = '# Clock\n\nIt tells the time.\n\n## Example\n\n```ts\nclock.wind(7)\n```\n'
    await install.git.create('acme/docs', { files: { ...files, 'd.md': generic } })
    await install.parse('acme/docs')
    llm = fakeLlm({ tokens: 100 })
    llm.answers(({ input }) => ({
      snippets: JSON.parse(input).snippets.map(({ number }: { number: number }) => ({
        number,
        title: 'Zeit',
        description: 'Winds it.',
      })),
    }))
    for (const n of [1, 2]) {
      await install.git.commit('acme/docs', { files: { 'c.md': page('C', `A gnomon number ${n}.`) } })
      expect(counts(await install.refresh('acme/docs'))).toEqual(['done', 2, 2, 7])
      expect(await install.context('/acme/docs', 'clock wind')).toContain('Zeit')
    }
    expect(llm.asked.filter(({ input }) => input.startsWith('{"snippets"'))).toHaveLength(1)
    llm = undefined
    await install.git.commit('acme/docs', { files: { 'c.md': page('C', 'A gnomon number 3.') } })
    expect(counts(await install.refresh('acme/docs'))).toEqual(['done', 2, 2, 7])
    expect(await install.context('/acme/docs', 'clock wind')).not.toContain('Zeit')
  })
})

test('a new version reads only the files that differ from the default content', async () => {
  await install.git.create('acme/docs', { files, tags: ['v1'] })
  await install.git.commit('acme/docs', { files: { 'c.md': page('C', 'A gnomon throws a shadow.') } })
  const job = await install.parse('acme/docs', { versions: ['v1'] })
  expect(job.report?.versions).toMatchObject([
    { version: '', filesRead: 3, filesKept: 0 },
    { version: 'v1', filesRead: 1, filesKept: 2 },
  ])
  expect(await install.context('/acme/docs@v1', 'pendulum')).toContain('A pendulum swings.')
})
