import { expect, onTestFinished, test, vi } from 'vitest'
import { jobWorker } from '../../../onprem/jobs/job-worker.ts'
import { sqliteJobs } from '../../../onprem/store/jobs/job-store.ts'
import { AppError } from '../../../shared/errors.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'

test('a job that waits for its provider logs it and waits the first pause, even after a full disk', async () => {
  const db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  const now = () => new Date('2026-01-01T00:00:00Z')
  const jobs = sqliteJobs(db, now)
  const full = Object.assign(new Error('database or disk is full'), { code: 'ENOSPC' })
  const rejected: string[] = []
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const worker = jobWorker({
    jobs: {
      ...jobs,
      addLogLine(id, line) {
        if (line.includes('The job waits') && rejected.push(line) === 1) throw full
        jobs.addLogLine(id, line)
      },
    },
    log,
    disk: { space: () => undefined, shortage: () => undefined },
    reserve: { use: async (work) => work() },
    atomically: (work) => work(),
    paths: { explain: (error) => error },
    diskCheckMs: 1_000,
    waitsChanged: () => undefined,
    now,
    retryPausesMs: [20_000],
    providerAnswers: async () => undefined,
    sweep: async () => undefined,
    noteDamage: () => undefined,
    showProgress: () => ({ end: () => undefined }),
    ended: () => undefined,
    run: () => Promise.reject(new AppError('timeout', 'The provider is away.', { retry: 'unlimited' })),
  })
  const { id } = jobs.enqueue({
    library: { owner: 'a', repo: 'b' },
    kind: 'parse',
    request: { repoUrl: 'x', force: false, anonymous: false },
  })
  worker.start()
  await until(() => rejected.length > 0 && jobs.get(id)?.state === 'queued')
  await worker.stop()
  expect(jobs.log(id).map(({ line }) => line)).toContain(
    'The provider is away. The job waits and retries at least once a minute.',
  )
  expect(db.prepare('SELECT due_at AS dueAt FROM jobs WHERE id = ?').get(id)).toEqual({ dueAt: '2026-01-01T00:00:20.000Z' })
})

test('a queue that cannot be written on a full disk is tried with growing pauses and logged once, and logged again when it works', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  const now = () => new Date('2026-01-01T00:00:00Z')
  const jobs = sqliteJobs(db, now)
  const full = Object.assign(new Error('database or disk is full'), { code: 'ENOSPC' })
  let isFull = true
  let claims = 0
  const lines: string[] = []
  const line = (_: object, message: string) => void lines.push(message)
  const worker = jobWorker({
    jobs: {
      ...jobs,
      claim(only) {
        claims++
        if (isFull) throw full
        return jobs.claim(only)
      },
    },
    log: { info: line, warn: line, error: line },
    disk: { space: () => undefined, shortage: () => undefined },
    reserve: { use: async (work) => work() },
    atomically: (work) => work(),
    paths: { explain: (error) => error },
    diskCheckMs: 1_000,
    waitsChanged: () => undefined,
    now,
    retryPausesMs: [],
    providerAnswers: async () => undefined,
    sweep: async () => undefined,
    noteDamage: () => undefined,
    showProgress: () => ({ end: () => undefined }),
    ended: () => undefined,
    run: () => Promise.reject(new Error('nothing is queued')),
  })
  worker.start()
  vi.advanceTimersByTime(10 * 60_000)
  expect(claims).toBe(13)
  expect(lines).toEqual(['the job queue cannot be used yet'])
  isFull = false
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual(['the job queue cannot be used yet', 'the job queue can be used again'])
  await worker.stop()
})
