import { expect, onTestFinished, test } from 'vitest'
import { jobWorker } from '../../../onprem/jobs/job-worker.ts'
import { sqliteJobs } from '../../../onprem/store/jobs/job-store.ts'
import { AppError } from '../../../shared/errors.ts'
import { openDatabase, transaction } from '../../../shared/store/database.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'

test('a job whose end is recorded a second time, on a full disk, has each line of its log once', async () => {
  const db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  const now = () => new Date('2026-01-01T00:00:00Z')
  const jobs = sqliteJobs(db, now)
  let fullTimes = 1
  const worker = jobWorker({
    jobs,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    disk: { space: () => undefined, shortage: () => undefined },
    reserve: {
      async use(work) {
        try {
          return await work()
        } catch {
          return work()
        }
      },
    },
    atomically: (work) => transaction(db, work),
    paths: { explain: (error) => error },
    diskCheckMs: 1_000,
    waitsChanged: () => undefined,
    now,
    retryPausesMs: [],
    providerAnswers: async () => undefined,
    sweep: async () => undefined,
    noteDamage: () => undefined,
    showProgress: () => ({ end: () => undefined }),
    ended() {
      if (fullTimes-- > 0) throw new AppError('disk_full', 'The disk is full.')
    },
    run: async () => ({ error: new AppError('access_denied', 'The host refuses.') }),
  })
  const library = { owner: 'a', repo: 'b' }
  const { id } = jobs.enqueue({ library, kind: 'parse', request: { repoUrl: 'x', force: false, anonymous: false } })
  worker.start()
  await until(() => jobs.get(id)?.state === 'failed')
  expect(jobs.log(id).map(({ line }) => line)).toEqual(['Run 1.', 'access_denied: The host refuses.'])
  await worker.stop()
})
