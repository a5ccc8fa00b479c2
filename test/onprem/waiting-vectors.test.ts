import { afterEach, beforeEach, expect, test } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import { snippetsOf } from '../fixtures/imports.ts'
import { aiOf, type TestEmbedder, testEmbedder } from '../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

let install: TestInstall
let embedder: TestEmbedder

const wrongKey = 'models.example rejected the key or its permissions (401). Check embedding.apiKey.'

beforeEach(async () => {
  embedder = testEmbedder()
  embedder.before = (_, purpose) => {
    if (purpose === 'document') throw new AppError('not_configured', wrongKey)
  }
  install = await testInstall({
    openAi: () => aiOf(() => embedder),
    limits: { retryPausesMs: [10, 10, 10] },
    embeddingRetries: { pausesMs: [1, 1, 1, 1], maxPauseMs: 60_000 },
  })
})
afterEach(() => install.close())

const reindexJobs = (state?: 'queued' | 'failed' | 'done') =>
  install.app.jobs.list(1, 1, { kinds: ['reindex'], ...(state && { states: [state] }) }).total
const importLibraries = async (count: number) => {
  const libraries = Array.from({ length: count }, (_, n) => ({ project: `/acme/lib${n}`, ...snippetsOf(`Wheel ${n} turns.`) }))
  const { body } = await install.call('POST', '/api/import-libraries', { libraries })
  expect(body.queued).toHaveLength(count)
  await until(() => install.app.jobs.active().every(({ kind }) => kind === 'reindex'))
  await until(() => reindexJobs('queued') === count)
}

test('a wrong key is reported once while 200 libraries wait for vectors, and all get them when the settings change', async () => {
  let requests = 0
  const reject = embedder.before
  embedder.before = (texts, purpose) => {
    requests += 1
    return reject(texts, purpose)
  }
  await importLibraries(200)
  await until(() => install.log.troubles.length > 0)
  const troubles = () => install.log.troubles.map(({ message }) => message)
  expect([troubles(), reindexJobs('failed')]).toEqual([['a job waits for its provider'], 0])
  // The batch, and whether another text passes.
  expect(requests).toBeLessThanOrEqual(3)
  const [first, second] = install.app.jobs.active()
  expect([first?.statusMessage, second?.statusMessage]).toEqual([wrongKey, null])
  expect(install.app.jobs.log(first?.id ?? 0).map(({ line }) => line)).toContain(
    `${wrongKey} The job waits for a change of the settings, and retries after 10 minutes.`,
  )
  embedder.before = () => undefined
  await install.call('PATCH', '/api/settings', { 'embedding.apiKey': 'right' })
  await until(() => install.app.jobs.active().length === 0)
  expect([reindexJobs('done'), reindexJobs('failed'), embedder.texts.length, troubles().length]).toEqual([200, 0, 200, 1])
})

test('a re-index that an admin starts makes those that wait for their provider try again', async () => {
  await importLibraries(2)
  await until(() => install.log.troubles.length > 0)
  embedder.before = () => undefined
  expect((await install.call('POST', '/api/reindex')).body.queued).toEqual([])
  await until(() => install.app.jobs.active().length === 0)
  expect(reindexJobs('done')).toBe(2)
})
