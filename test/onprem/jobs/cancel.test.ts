import { expect, onTestFinished, test } from 'vitest'
import { sqliteJobs } from '../../../onprem/jobs/job-store.ts'
import { jobWorker } from '../../../onprem/jobs/worker.ts'
import { openDatabase } from '../../../onprem/store/database.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/test-install.ts'

test('a cancel is answered when it is recorded, however long the sweep after the job lasts', async () => {
  const db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  const now = () => new Date('2026-01-01T00:00:00Z')
  const jobs = sqliteJobs(db, now)
  const sweep = Promise.withResolvers<void>()
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const worker = jobWorker({
    jobs,
    log,
    now,
    retryPausesMs: [],
    sweep: () => sweep.promise,
    run: (_job, _progress, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  const { id } = jobs.enqueue({ key: '/a/b', project: '/a/b', request: { repoUrl: 'x', force: false, anonymous: false } })
  worker.start()
  await until(() => jobs.get(id)?.state === 'parsing')
  expect(await worker.cancel(id)).toBe(true)
  expect(jobs.get(id)?.state).toBe('cancelled')
  expect(await worker.cancel(id)).toBe(false)
  sweep.resolve()
  await worker.stop()
})
