import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import { page } from '../fixtures/page.ts'
import { aiOf, features, type TestEmbedder, testEmbedder } from '../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

// Whole installs are slow on a busy machine.
let install: TestInstall
let embedder: TestEmbedder | undefined
/** Jobs of this library find no embedding provider in the settings. */
let withoutEmbedder: string | undefined

beforeEach(async () => {
  embedder = testEmbedder()
  withoutEmbedder = undefined
  const isWithout = () =>
    install?.app.jobs.active().some(({ project, state }) => project === withoutEmbedder && state !== 'queued')
  install = await testInstall({
    openAi: () => aiOf(() => (isWithout() ? undefined : embedder)),
    limits: { retryPausesMs: [10, 10, 10] },
    embeddingRetries: { pausesMs: [1, 1, 1, 1], maxPauseMs: 60_000 },
  })
})
afterEach(() => install.close())

const set = () => embedder as TestEmbedder
const sections = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `Part ${from + n} turns wheel${from + n} with lever${from + n}.`)
const away = () => {
  throw new AppError('provider_unavailable', 'The provider is away.', { retry: 'limited' })
}

/** The unfinished job that makes vectors. */
const embedding = () => install.app.jobs.active().find(({ kind }) => kind === 'reindex')?.id ?? 0

/** The number of vectors in the file. */
function kept(): number {
  const db = new DatabaseSync(join(install.dataDir, 'vectors.db'), { readOnly: true })
  try {
    return Number(db.prepare('SELECT count(*) AS n FROM vectors').get()?.n)
  } finally {
    db.close()
  }
}

test('a refresh embeds only changed texts, and reports their number', async () => {
  await install.git.create('acme/docs', {
    files: { 'a.md': page('A', ...sections(0, 30)), 'b.md': page('B', ...sections(30, 60)) },
  })
  const parsed = await install.parse('acme/docs')
  expect([parsed.state, parsed.report?.snippetsAfter, parsed.report?.textsEmbedded]).toEqual(['done', 60, 0])
  const first = await install.embedded('acme/docs')
  expect([first.state, first.report?.snippetsAfter, first.report?.textsEmbedded]).toEqual(['done', 60, 60])
  await install.git.commit('acme/docs', { files: { 'b.md': page('B', ...sections(30, 59), 'Something new turns.') } })
  const second = await install.refresh('acme/docs')
  expect([second.report?.snippetsAfter, second.report?.textsEmbedded]).toEqual([60, 1])
  expect(set().texts.slice(60)).toEqual(['B > B part 30\nSomething new turns.'])
})

test('a version that shares its texts with another shares its vectors', async () => {
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 20)) }, tags: ['v1.0.0'] })
  await install.git.commit('acme/docs', { files: { 'a.md': page('A', ...sections(0, 21)) } })
  await install.parse('acme/docs', { versions: ['v1.0.0'] })
  const job = await install.embedded('acme/docs')
  expect(job.report?.textsEmbedded).toBe(21)
  expect(kept()).toBe(21)
  await install.call('DELETE', '/api/projects/acme/docs')
  expect(kept()).toBe(0)
})

test('deleting a library deletes its vectors, also those of a job that waits, and no others', async () => {
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 20)) } })
  await install.git.create('acme/other', { files: { 'a.md': page('A', ...sections(15, 25)) } })
  for (const repo of ['acme/docs', 'acme/other']) {
    await install.parse(repo)
    await install.embedded(repo)
  }
  await install.git.commit('acme/docs', { files: { 'b.md': page('B', ...sections(100, 130)) } })
  set().before = (texts) => {
    if (texts.some((text) => text.includes('lever129.'))) throw new AppError('provider_unavailable', 'The key is wrong.')
  }
  expect((await install.refresh('acme/docs')).error).toBeNull()
  expect((await install.vectorsWait('acme/docs')).reason).toBe('The key is wrong.')
  expect(kept()).toBeGreaterThan(25 + 10)
  expect(await install.call('DELETE', '/api/projects/acme/docs')).toMatchObject({ status: 200 })
  expect(kept()).toBe(10)
  const pattern = Buffer.from(Float32Array.from(features('A > A part 1\nPart 0 turns wheel0 with lever0.', 64)).buffer)
  const files = readdirSync(install.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(pattern))).toEqual([])
})

test('vectors wait with the message of the provider while its key is wrong, and another attempt costs nothing twice', async () => {
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 80)) } })
  set().before = () => {
    if (set().texts.length >= 32) throw new AppError('provider_unavailable', 'The key is wrong.')
  }
  expect((await install.parse('acme/docs')).state).toBe('done')
  const { id, reason } = await install.vectorsWait('acme/docs')
  expect(reason).toBe('The key is wrong.')
  expect(install.app.jobs.log(id).filter(({ line }) => line.startsWith('Run '))).toHaveLength(1)
  set().before = () => undefined
  await install.call('POST', '/api/reindex')
  const job = await install.ended(id)
  expect([job.state, job.report?.textsEmbedded]).toEqual(['done', 80])
  expect(new Set(set().texts).size).toBe(set().texts.length)
})

test('text that a provider quotes is in the job, and not in the server log', async () => {
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 3)) } })
  set().before = ([text]) => {
    throw new AppError('provider_unavailable', `Models rejected the request (400): cannot read ${text?.replace('\n', ' ')}.`)
  }
  await install.parse('acme/docs')
  expect((await install.vectorsWait('acme/docs')).reason).toContain('wheel0')
  expect(install.log.troubles.map(({ message }) => message)).toEqual(['a job waits for its provider'])
  const logged = inspect(install.log.troubles, { depth: 10 })
  expect(logged).toContain('Models rejected the request (400)')
  expect(logged).not.toContain('wheel0')
})

test('a job waits while the provider is unavailable, others continue, and it finishes when the provider is back', async () => {
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 100)) } })
  await install.git.create('acme/plain', { files: { 'a.md': page('A', 'Turns without vectors.') } })
  const first = set()
  let asked = 0
  first.before = () => {
    asked += 1
    if (first.texts.length >= 32) away()
  }
  await install.parse('acme/docs')
  const id = embedding()
  await install.says(id, 'The provider is away. The job waits and retries at least once a minute.')
  const before = asked
  await until(() => asked >= before + 4)
  expect(install.app.jobs.get(id)?.state).toMatch(/queued|parsing/)
  withoutEmbedder = '/acme/plain'
  expect((await install.parse('acme/plain')).state).toBe('done')
  first.before = () => undefined
  const job = await install.ended(id)
  expect([job.state, job.report?.textsEmbedded]).toEqual(['done', 100])
  expect(job.log.filter(({ line }) => line.includes('The job waits'))).toHaveLength(1)
  expect(install.log.troubles.filter(({ message }) => message === 'a job waits for its provider')).toHaveLength(1)
  expect(new Set(first.texts).size).toBe(100)
  expect(await install.context('/acme/docs', 'lever77')).toContain('wheel77')
})

test('a job whose provider is unset while it waits ends without vectors, and its report has what was embedded before', async () => {
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 100)) } })
  const first = set()
  first.before = () => {
    if (first.texts.length >= 32) away()
  }
  await install.parse('acme/docs')
  const id = embedding()
  await install.says(id, 'The job waits')
  withoutEmbedder = '/acme/docs'
  const job = await install.ended(id)
  expect(job.state).toBe('done')
  expect(job.report?.textsEmbedded).toBe(first.texts.length)
  expect(job.report?.textsEmbedded).toBeGreaterThanOrEqual(32)
  expect(install.app.catalog.versions({ owner: 'acme', repo: 'docs' })[0]?.space).toBeUndefined()
})

test('a job that waits for its provider can be cancelled', async () => {
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 10)) } })
  set().before = away
  await install.parse('acme/docs')
  const id = embedding()
  await install.says(id, 'The job waits')
  expect((await install.call('POST', `/api/jobs/${id}/cancel`)).body.state).toBe('cancelled')
})

test('a text that makes the provider restart is found over several runs of its job, and the others get their vectors', async () => {
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 60)) } })
  let isDown = false
  let crashes = 0
  set().before = (texts, purpose) => {
    // The check before a run passes once the provider has restarted.
    if (purpose === 'query') isDown = false
    if (!isDown && texts.some((text) => text.includes('wheel37 '))) {
      isDown = true
      crashes += 1
    }
    if (isDown) away()
  }
  await install.parse('acme/docs')
  const job = await install.embedded('acme/docs')
  expect([job.state, job.report?.textsEmbedded, new Set(set().texts).size]).toEqual(['done', 59, 59])
  expect(job.report?.skipped).toEqual([
    {
      path: 'a.md: A > A part 38',
      reason: 'has no vector and is found only by its words: the provider went down each time it got this text.',
    },
  ])
  // Batches of 16, 8, 4, 2 and 1 texts, and twice more alone.
  expect(crashes).toBeLessThanOrEqual(7)
  expect(await install.context('/acme/docs', 'lever37')).toContain('wheel37')
})

test('a text that brought down one provider is sent to the next', async () => {
  await install.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 3)) } })
  let isDown = false
  set().before = (texts, purpose) => {
    if (purpose === 'query') isDown = false
    if (texts.some((text) => text.includes('wheel1 '))) isDown = true
    if (isDown) away()
  }
  await install.parse('acme/docs')
  expect((await install.embedded('acme/docs')).report?.skipped).toHaveLength(1)
  embedder = testEmbedder({ model: 'test/other' })
  const queued = await install.call('POST', '/api/reindex')
  expect(queued.body.queued).toEqual(['/acme/docs'])
  const job = await install.ended(install.app.jobs.list(1, 1, { kinds: ['reindex'] }).jobs[0]?.id ?? 0)
  expect([job.state, job.report?.textsEmbedded, job.report?.skipped]).toEqual(['done', 3, []])
})
