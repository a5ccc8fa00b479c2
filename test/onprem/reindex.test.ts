import { afterEach, beforeEach, expect, test } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import { parseLibraryId } from '../../shared/library.ts'
import { page } from '../fixtures/page.ts'
import { aiOf, type TestEmbedder, testEmbedder } from '../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

// Whole installs are slow on a busy machine.
let install: TestInstall
let embedder: TestEmbedder | undefined
let former: TestEmbedder[] = []

beforeEach(async () => {
  embedder = undefined
  former = []
  install = await testInstall({ openAi: () => aiOf(() => embedder, former), limits: { retryPausesMs: [50, 50, 50] } })
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 20)) }, tags: ['v1.0.0'] })
  await install.git.create('acme/other', { files: { 'b.md': page('B', ...sections(50, 60)) } })
})
afterEach(() => install.close())

const sections = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `Part ${from + n} turns wheel${from + n} with lever${from + n}.`)
const versions = () => install.app.catalog.versions(parseLibraryId('/acme/docs'))
const retrievers = async (libraryId: string, query: string) => {
  const answer = await fetch(`${install.url}/api/v2/context?${new URLSearchParams({ libraryId, query })}`)
  return [answer.headers.get('x-carrel-search'), (await answer.text()).includes('lever7.') || answer.status]
}

/** Indexes all again, and answers the ended jobs. */
async function reindex() {
  const { status, body } = await install.call('POST', '/api/reindex')
  expect(status).toBe(202)
  const { activeParses } = (await install.call('GET', '/api/parse-status')).body as { activeParses: Record<string, unknown> }
  const jobs = install.app.jobs.active().filter(({ kind }) => kind === 'reindex')
  const ended = await Promise.all(jobs.map(({ id }) => install.ended(id)))
  return { body, ended, activeParses }
}

test('a re-index is needed if the model has changed, and queues no job without a provider', async () => {
  await install.parse('acme/docs')
  expect((await install.call('GET', '/api/reindex')).body).toEqual({
    needed: 0,
    texts: 0,
    tokens: 0,
    model: null,
    dimensions: null,
  })
  expect(await install.call('POST', '/api/reindex')).toMatchObject({ status: 202, body: { queued: [], skipped: [] } })
  embedder = testEmbedder()
  const [stored] = versions()
  expect((await install.call('GET', '/api/reindex')).body).toEqual({
    needed: 1,
    texts: 20,
    tokens: stored?.tokens,
    model: 'test/features',
    dimensions: 64,
  })
})

test('a re-index gives every version vectors of the configured model, without fetching or parsing anything', async () => {
  await install.parse('acme/docs', { versions: ['v1.0.0'] })
  await install.parse('acme/other')
  const before = versions()
  expect(await retrievers('/acme/docs', 'wheel7')).toEqual(['text', true])
  embedder = testEmbedder()
  await install.git.remove('acme/docs')
  const { body, ended } = await reindex()
  expect(body).toEqual({
    message: 'Re-index of 2 of 2 libraries queued',
    queued: ['/acme/docs', '/acme/other'],
    skipped: [],
  })
  expect(ended.map(({ state, kind, report }) => [state, kind, report?.snippetsAfter, report?.textsEmbedded])).toEqual([
    // Both versions share their vectors.
    ['done', 'reindex', 40, 20],
    ['done', 'reindex', 10, 10],
  ])
  const after = versions()
  expect(after.map(({ space }) => space)).toEqual([
    { model: 'test/features', dimensions: 64 },
    { model: 'test/features', dimensions: 64 },
  ])
  const same = ({ generation: _, space: __, ...version }: (typeof after)[number]) => version
  expect(after.map(same)).toEqual(before.map(same))
  expect(after.some(({ generation }) => before.some((each) => each.generation === generation))).toBe(false)
  expect(await retrievers('/acme/docs', 'wheel7')).toEqual(['hybrid', true])
  expect(await retrievers('/acme/docs@v1.0.0', 'wheel7')).toEqual(['hybrid', true])
  expect((await install.call('GET', '/api/reindex')).body.needed).toBe(0)
  expect((await reindex()).body).toMatchObject({ queued: [], skipped: [] })
})

test('a re-index logs imported libraries without a branch by name', async () => {
  const infoSnippets = [{ content: 'The lever turns.' }]
  await install.call('POST', '/api/import-libraries', { libraries: [{ project: '/in/ported', codeSnippets: [], infoSnippets }] })
  await install.ended(install.app.jobs.list(1, 1).jobs[0]?.id ?? 0)
  embedder = testEmbedder()
  const { ended } = await reindex()
  expect(ended.flatMap(({ log }) => log.map(({ line }) => line))).toContain('/in/ported: 1 text embedded for 1 snippet.')
})

test('a re-index serves the old content until its copy is complete, with the old model while it responds', async () => {
  const old = testEmbedder({ model: 'test/old' })
  embedder = old
  await install.parse('acme/docs')
  await install.embedded('acme/docs')
  embedder = testEmbedder({ model: 'test/new', dimensions: 32 })
  former.push(old)
  expect(await retrievers('/acme/docs', 'wheel7')).toEqual(['hybrid', true])
  embedder.before = (_, purpose) => {
    if (purpose === 'document') throw new AppError('provider_unavailable', 'The key is wrong.')
  }
  await install.call('POST', '/api/reindex')
  const { id, reason } = await install.vectorsWait('acme/docs')
  expect(reason).toBe('The key is wrong.')
  expect(versions()[0]?.space?.model).toBe('test/old')
  expect(await retrievers('/acme/docs', 'wheel7 ')).toEqual(['hybrid', true])
  former.pop()
  expect(await retrievers('/acme/docs', 'the wheel7')).toEqual(['text', true])
  embedder.before = () => undefined
  await install.call('POST', `/api/jobs/${id}/cancel`)
  const retried = await install.call('POST', `/api/jobs/${id}/retry`)
  expect(retried).toMatchObject({ status: 202, body: { message: 'Re-index queued', project: '/acme/docs' } })
  expect((await install.ended(Number(retried.body.queueId))).state).toBe('done')
  expect(versions()[0]?.space).toEqual({ model: 'test/new', dimensions: 32 })
  expect(await retrievers('/acme/docs', 'wheel7')).toEqual(['hybrid', true])
})

test('a re-index skips a library that has a job, with the reason', async () => {
  await install.parse('acme/docs')
  const silent = testEmbedder()
  const end = Promise.withResolvers<void>()
  silent.before = () => end.promise
  embedder = silent
  const first = await install.call('POST', '/api/reindex')
  expect(first.body.queued).toEqual(['/acme/docs'])
  const { body } = await install.call('POST', '/api/reindex')
  expect(body).toMatchObject({
    queued: [],
    skipped: [{ project: '/acme/docs', reason: expect.stringMatching(/^its job \d+ is/) }],
  })
  end.resolve()
  const [job] = install.app.jobs.list(1, 1).jobs
  expect((await install.ended(Number(job?.id))).state).toBe('done')
})

test('a re-index continues after an interruption, and pays for no vector twice', async () => {
  await install.parse('acme/docs')
  const flaky = testEmbedder()
  let isAway = false
  flaky.before = (texts) => {
    isAway ||= texts.some((text) => text.includes('lever19.'))
    if (isAway) throw new AppError('provider_unavailable', 'The provider is away.', { retry: 'limited' })
  }
  embedder = flaky
  await install.call('POST', '/api/reindex')
  const [job] = install.app.jobs.active()
  await install.says(Number(job?.id), 'The job waits')
  flaky.before = () => undefined
  const ended = await install.ended(Number(job?.id))
  expect([ended.state, ended.report?.textsEmbedded]).toEqual(['done', 20])
  expect(flaky.texts).toHaveLength(20)
})
