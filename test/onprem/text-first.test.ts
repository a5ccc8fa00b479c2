import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import { snippetsOf } from '../fixtures/imports.ts'
import { page } from '../fixtures/page.ts'
import { aiOf, type TestEmbedder, testEmbedder } from '../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

// Whole installs are slow on a busy machine.
let install: TestInstall
let embedder: TestEmbedder

beforeEach(async () => {
  embedder = oneByOne()
  install = await testInstall({ openAi: () => aiOf(() => embedder), limits: { retryPausesMs: [10, 10, 10] } })
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 40)) } })
  await install.git.create('acme/other', { files: { 'a.md': page('B', ...sections(100, 110)) } })
})
let releaseAll: () => void = () => undefined
afterEach(() => {
  releaseAll()
  return install.close()
})

const oneByOne = (model = 'test/features') => testEmbedder({ model, limits: { batchTexts: 4, requestsAtOnce: 1 } })
const sections = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `Part ${from + n} turns wheel${from + n} with lever${from + n}.`)
const search = async (libraryId: string, query = 'lever7') => {
  const answer = await fetch(`${install.url}/api/v2/context?${new URLSearchParams({ libraryId, query })}`)
  return { by: answer.headers.get('x-carrel-search'), text: await answer.text() }
}
const meaning = async (id = 'acme/docs') => (await install.call('GET', `/api/projects/${id}`)).body.meaning

/** Holds the provider after this number of texts until `release`. */
function holdAfter(texts: number): { held(): boolean; release(): void } {
  const gate = Promise.withResolvers<void>()
  let isHeld = false
  embedder.before = (_, purpose) => {
    if (purpose === 'query' || embedder.texts.length < texts) return
    isHeld = true
    return gate.promise
  }
  const release = () => {
    embedder.before = () => undefined
    gate.resolve()
  }
  releaseAll = release
  return { held: () => isHeld, release }
}

test('a library answers by text while its first vectors are made, and lists, its page and its job say how many it has', async () => {
  const { held, release } = holdAfter(20)
  expect((await install.parse('acme/docs')).state).toBe('done')
  await until(held)
  expect((await search('/acme/docs')).by).toBe('text')
  await expect.poll(() => meaning()).toEqual({ done: 20, total: 40 })
  const { body: list } = await install.call('GET', '/api/projects')
  const { body: jobs } = await install.call('GET', '/api/jobs?kind=reindex')
  const { body: active } = await install.call('GET', '/api/parse-status')
  expect([list, jobs, active]).toMatchObject([
    { projects: [{ meaning: { done: 20, total: 40 }, state: 'finalized' }] },
    { jobs: [{ meaning: { done: 20, total: 40 }, filesTotal: 40, stage: 'Embedding snippets of main' }] },
    { activeParses: { '/acme/docs': { kind: 'reindex', meaning: { done: 20, total: 40 } } } },
  ])
  expect((await install.call('GET', '/api/projects?state=processing')).body.total).toBe(0)
  release()
  expect((await install.embedded('acme/docs')).state).toBe('done')
  expect([(await search('/acme/docs', 'lever8')).by, await meaning()]).toEqual(['hybrid', { done: 40, total: 40 }])
})

test('the job never builds indexes before all vectors are made', async () => {
  const { held, release } = holdAfter(36)
  await install.parse('acme/docs')
  await until(held)
  const [job] = install.app.jobs.active()
  expect([job?.state, job?.statusMessage]).toEqual(['parsing', 'Embedding snippets of main'])
  release()
  expect(await install.embedded('acme/docs')).toMatchObject({ state: 'done', filesDone: 40, filesTotal: 40 })
})

test('a job that makes vectors makes way for a parse, and continues with what it has', async () => {
  const { held, release } = holdAfter(20)
  await install.parse('acme/docs')
  await until(held)
  const other = await install.queue('acme/other')
  release()
  await install.ended(other)
  const job = await install.embedded('acme/docs')
  await install.embedded('acme/other')
  expect(job.log.map(({ line }) => line)).toContain('Another job goes first.')
  expect(install.app.jobs.get(other)?.finishedAt?.localeCompare(job.finishedAt ?? '')).toBe(-1)
  expect([job.report?.textsEmbedded, embedder.texts.length, new Set(embedder.texts).size]).toEqual([40, 50, 50])
})

test('a refresh while vectors are made goes first, and no text is embedded twice', async () => {
  const { held, release } = holdAfter(20)
  await install.parse('acme/docs')
  await until(held)
  await install.git.commit('acme/docs', { files: { 'b.md': page('B', ...sections(40, 50)) } })
  const queued = await install.call('POST', '/api/projects/acme/docs/refresh')
  expect(queued.status).toBe(202)
  release()
  expect((await install.ended(Number(queued.body.queueId))).error).toBeNull()
  expect(await install.embedded('acme/docs')).toMatchObject({ state: 'done', error: null })
  expect([embedder.texts.length, new Set(embedder.texts).size, await meaning()]).toEqual([50, 50, { done: 50, total: 50 }])
  expect((await search('/acme/docs', 'lever45')).by).toBe('hybrid')
})

test('a library can be deleted and imported again while its vectors are made', async () => {
  const { held, release } = holdAfter(20)
  const send = async (from: number, to: number) => {
    const libraries = [{ project: '/acme/bundle', ...snippetsOf(...sections(from, to)) }]
    const { body } = await install.call('POST', '/api/import-libraries?force=true', { libraries })
    expect(body.queued).toEqual(['/acme/bundle'])
  }
  await send(0, 40)
  await until(held)
  await send(10, 60)
  release()
  await until(() => install.app.jobs.active().length === 0)
  expect([await meaning('acme/bundle'), new Set(embedder.texts).size]).toEqual([{ done: 50, total: 50 }, embedder.texts.length])

  const again = holdAfter(embedder.texts.length + 8)
  await send(100, 200)
  await until(again.held)
  const deleted = install.call('DELETE', '/api/projects/acme/bundle')
  again.release()
  embedder.before = () => sleep(50)
  expect((await deleted).status).toBe(200)
  await until(() => install.app.jobs.active().length === 0)
  expect([install.app.vectors.users(), await install.tables()]).toEqual([[], []])
  expect(install.log.troubles).toEqual([])
})

test('a model that is changed half-way makes the vectors of the new one only', async () => {
  const first = holdAfter(20)
  const old = embedder
  await install.parse('acme/docs')
  await until(first.held)
  first.release()
  old.before = () => sleep(5)
  embedder = oneByOne('test/new')
  const job = await install.embedded('acme/docs')
  expect([job.state, old.texts.length < 40, embedder.texts.length]).toEqual(['done', true, 40])
  const [version] = install.app.catalog.versions({ owner: 'acme', repo: 'docs' })
  expect([version?.space?.model, await meaning()]).toEqual(['test/new', { done: 40, total: 40 }])
})

test('a provider that rejects everything fails no parse, and its library answers by text', async () => {
  embedder.before = () => {
    throw new AppError('provider_unavailable', 'The key is wrong. Check embedding.apiKey.')
  }
  expect((await install.parse('acme/docs')).error).toBeNull()
  expect((await install.vectorsWait('acme/docs')).reason).toContain('embedding.apiKey')
  expect([(await search('/acme/docs')).text.includes('wheel7 with lever7'), await meaning()]).toEqual([
    true,
    { done: 0, total: 40 },
  ])
})

test('a re-index behind one that waits for its provider says so, and the reason only to those who see that library', async () => {
  embedder.before = () => {
    throw new AppError('provider_unavailable', 'The key is wrong. Check embedding.apiKey.')
  }
  install.app.settings.change({ 'github.token': 'sesame', 'permissions.hidePrivate': true })
  await install.git.create('acme/hidden', { files: { 'a.md': page('C', ...sections(200, 210)) }, private: '*:sesame' })
  await install.parse('acme/hidden')
  await install.vectorsWait('acme/hidden')
  await install.parse('acme/docs')
  const next = `Its next attempt is at ${install.app.jobs.active()[0]?.dueAt}.`
  expect((await install.call('GET', '/api/jobs?state=queued')).body).toMatchObject({
    jobs: [
      {
        project: '/acme/docs',
        stage: `Waiting for another re-index, which failed: The key is wrong. Check embedding.apiKey. ${next}`,
      },
      { project: '/acme/hidden' },
    ],
  })
  const statusMessage = `Waiting for another re-index, which failed. ${next}`
  expect((await install.json('/api/parse-status')).body).toEqual({
    activeParses: { '/acme/docs': expect.objectContaining({ statusMessage }) },
  })
})

test('a refresh of a complete library with a few new snippets writes its index once, with their vectors', async () => {
  await install.parse('acme/docs')
  await install.embedded('acme/docs')
  const jobs = () => install.app.jobs.list(1, 10).total
  const before = jobs()
  await install.git.commit('acme/docs', { files: { 'b.md': page('B', 'A gnomon throws a shadow.') } })
  const { report } = await install.refresh('acme/docs')
  expect([report?.textsEmbedded, jobs() - before, await meaning()]).toEqual([1, 1, { done: 41, total: 41 }])
  expect(await search('/acme/docs', 'gnomon')).toEqual({ by: 'hybrid', text: expect.stringContaining('gnomon throws') })
})

test('a refresh with many new snippets leaves their vectors to a job', async () => {
  await install.parse('acme/docs')
  await install.embedded('acme/docs')
  await install.git.commit('acme/docs', { files: { 'b.md': page('B', ...sections(200, 300)) } })
  expect((await install.refresh('acme/docs')).report?.textsEmbedded).toBe(0)
  expect((await install.embedded('acme/docs')).report?.textsEmbedded).toBe(100)
})

test('a refresh of a complete library stays hybrid if its provider hangs, and its new snippets are found by their words', async () => {
  await install.parse('acme/docs')
  await install.embedded('acme/docs')
  const { release } = holdAfter(0)
  await install.git.commit('acme/docs', { files: { 'b.md': page('B', 'A gnomon throws a shadow.') } })
  await install.refresh('acme/docs')
  const { by, text } = await search('/acme/docs', 'gnomon')
  expect([by, text.includes('gnomon throws'), await meaning()]).toEqual(['hybrid', true, { done: 40, total: 41 }])
  release()
  expect((await install.embedded('acme/docs')).report?.textsEmbedded).toBe(1)
  expect(await meaning()).toEqual({ done: 41, total: 41 })
})

test('answers are the same for one commit whether its vectors came at once or over several jobs', async () => {
  const files = { 'a.md': page('A', ...sections(0, 40)), 'b.md': page('B', 'A gnomon throws a shadow.') }
  await install.parse('acme/docs')
  await install.embedded('acme/docs')
  const commit = await install.git.commit('acme/docs', { files })
  await install.refresh('acme/docs')
  await install.embedded('acme/docs')
  const answers = () => Promise.all(['lever7', 'shadow of wheel3', 'what turns'].map((query) => search('/acme/docs', query)))
  const before = await answers()
  expect(before.map(({ by }) => by)).toEqual(['hybrid', 'hybrid', 'hybrid'])
  await install.call('DELETE', '/api/projects/acme/docs')
  expect((await install.parse('acme/docs')).log.length).toBeGreaterThan(0)
  await install.embedded('acme/docs')
  expect(install.app.catalog.versions({ owner: 'acme', repo: 'docs' })[0]?.commit).toBe(commit)
  expect(await answers()).toEqual(before)
})
