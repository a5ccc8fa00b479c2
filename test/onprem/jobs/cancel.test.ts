import { expect, onTestFinished, test } from 'vitest'
import { jobWorker } from '../../../onprem/jobs/job-worker.ts'
import { sqliteJobs } from '../../../onprem/store/jobs/job-store.ts'
import type { SnippetStore } from '../../../shared/search/rows/snippet-store.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { page } from '../../fixtures/page.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

test('a cancel returns when it is recorded, however long the cleanup after the job takes', async () => {
  const db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  const now = () => new Date('2026-01-01T00:00:00Z')
  const jobs = sqliteJobs(db, now)
  const sweep = Promise.withResolvers<void>()
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const worker = jobWorker({
    jobs,
    log,
    disk: { space: () => undefined, shortage: () => undefined },
    reserve: { use: async (work) => work() },
    atomically: (work) => work(),
    paths: { explain: (error) => error },
    diskCheckMs: 1_000,
    waitsChanged: () => undefined,
    now,
    retryPausesMs: [],
    providerAnswers: async () => undefined,
    sweep: () => sweep.promise,
    noteDamage: () => undefined,
    showProgress: () => ({ end: () => undefined }),
    ended: () => undefined,
    run: (_job, _progress, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  const { id } = jobs.enqueue({
    library: { owner: 'a', repo: 'b' },
    kind: 'parse',
    request: { repoUrl: 'x', force: false, anonymous: false },
  })
  worker.start()
  await until(() => jobs.get(id)?.state === 'parsing')
  expect(await worker.cancel(id)).toBe(true)
  expect(jobs.get(id)?.state).toBe('cancelled')
  expect(await worker.cancel(id)).toBe(false)
  sweep.resolve()
  await worker.stop()
})

test('a cancel does not wait for indexes that are being built, which are neither served nor kept', async () => {
  const building = Promise.withResolvers<string>()
  const gate = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const slowOnce = (folder: string): SnippetStore => {
    const store = lanceSnippets(folder)
    let first = true
    return {
      ...store,
      async write(generation) {
        const writer = await store.write(generation)
        if (!first) return writer
        first = false
        return {
          ...writer,
          async finish(statistics) {
            building.resolve(generation)
            await gate.promise
            await writer.finish(statistics).finally(done.resolve)
          },
        }
      },
    }
  }
  const install = await testInstall({ openSnippets: slowOnce })
  onTestFinished(() => install.close())
  // There are so many that a part of them is written before the indexes are built.
  const sections = Array.from({ length: 1200 }, (_, n) => `The lever number ${n} turns wheel ${n * 7}.`)
  await install.git.create('cancel/building', { files: { 'README.md': page('Guide', ...sections) } })
  await install.git.create('cancel/other', { files: { 'README.md': page('Guide', 'The wheel stands.') } })
  const { catalog, snippets, jobs } = install.app

  const id = await install.queue('cancel/building')
  const generation = await building.promise
  await until(() => jobs.get(id)?.state === 'finalizing')
  const { body } = await install.call('POST', `/api/jobs/${id}/cancel`)
  expect(body.state).toBe('cancelled')
  expect(catalog.find({ owner: 'cancel', repo: 'building' })).toBeUndefined()

  const again = await install.parse('cancel/building')
  expect(again.state).toBe('done')
  const served = () => catalog.versions({ owner: 'cancel', repo: 'building' }).map((each) => each.generation)
  const [published] = served()
  await install.parse('cancel/other')
  expect(await snippets.generations()).toContain(generation)
  gate.resolve()
  await done.promise
  expect(await snippets.generations()).toContain(generation)
  expect(served()).toEqual([published])

  await install.parse('cancel/other', { force: true })
  await until(async () => !(await snippets.generations()).includes(generation))
  expect((await install.tables()).filter((name) => name.startsWith(generation))).toEqual([])
  expect(served()).toEqual([published])
  expect(await install.context('/cancel/building', 'lever')).toContain('The lever number')
  expect(install.log.troubles).toEqual([])
})
