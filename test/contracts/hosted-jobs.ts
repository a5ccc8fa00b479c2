import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dynamoJobs } from '../../functions/dynamo/jobs/dynamo-jobs.ts'
import type { Table } from '../../functions/dynamo/table.ts'
import type { HostedJobs } from '../../functions/jobs/hosted-jobs.ts'
import { sweepJobs } from '../../functions/jobs/schedule.ts'
import type { JobReport } from '../../shared/indexing/index-job.ts'
import { failure } from '../fixtures/failure.ts'

/** Tests of the hosted jobs, for each implementation of DynamoDB. */
export function hostedJobsContract(name: string, open: () => Promise<Table & { close(): Promise<void> }>): void {
  describe(`hosted jobs on ${name}`, () => {
    let table: Table & { close(): Promise<void> }
    let jobs: HostedJobs
    let time = Date.parse('2026-11-21T12:00:00.000Z')
    let key = ''
    let tests = 0
    const now = () => new Date(time)
    const queued = () => jobs.enqueue({ key, project: key, request })
    const claimed = async (owner = 'worker') => {
      const job = await jobs.claim(key, owner)
      if (!job) throw new Error('no job can be claimed')
      return job
    }
    /** Keys of this test for which a sweep requests workers. */
    const swept = async () => {
      const sent: string[] = []
      await sweepJobs({ jobs, now, queue: { send: async (each) => void sent.push(each) } })
      return sent.filter((each) => each === key)
    }

    beforeAll(async () => {
      table = await open()
      jobs = dynamoJobs({ table, now })
    })
    beforeEach(() => {
      key = `/acme/${tests++}`
    })
    afterAll(() => table.close())

    test('a library has one unfinished job, and a second is rejected with the state of the first', async () => {
      await queued()
      const refused = await failure(queued())
      expect([refused.code, refused.fields]).toEqual(['job_active', { project: key, status: 'queued' }])
      const job = await claimed()
      expect((await failure(queued())).fields).toMatchObject({ status: 'running' })
      await jobs.finish(job)
      expect(await jobs.find(key)).toBeUndefined()
      await queued()
    })

    test('a job is queued or claimed by exactly one of many concurrent callers', async () => {
      const queueing = await Promise.allSettled(Array.from({ length: 8 }, queued))
      expect(queueing.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const claiming = await Promise.all(Array.from({ length: 8 }, (_, n) => jobs.claim(key, `worker ${n}`)))
      expect(claiming.filter((each) => each !== undefined)).toHaveLength(1)
    })

    test('a job keeps its request, hostile names included', async () => {
      const hostile = { ...request, versions: ['__proto__', 'v"\\'], folders: ['x'.repeat(255), ''], branch: '𝒗' }
      await jobs.enqueue({ key, project: key, request: hostile })
      expect(await claimed()).toMatchObject({ request: hostile, attempts: 1, interruptions: 0, report: null, state: 'running' })
    })

    test('a worker that renews keeps the job, and one whose lease lapsed can neither renew, requeue nor finish it', async () => {
      await queued()
      const first = await claimed('first')
      time += 50_000
      expect(await jobs.renew(first, { stage: 'Reading files', filesDone: 3, filesTotal: 9, snippets: 27 })).toBe(true)
      time += 50_000
      expect(await jobs.claim(key, 'second')).toBeUndefined()
      time += 10_001
      const second = await claimed('second')
      expect([second.interruptions, second.attempts]).toEqual([1, 1])
      expect(await jobs.renew(first)).toBe(false)
      expect(await jobs.requeue(first, { dueAt: now(), attemptCounts: true })).toBe(false)
      await jobs.finish(first)
      expect(await jobs.find(key)).toMatchObject({ owner: 'second', state: 'running' })
    })

    test('a job stores its progress', async () => {
      await queued()
      const progress = { stage: 'Reading files', filesDone: 3, filesTotal: 9, snippets: 27 }
      await jobs.renew(await claimed(), progress)
      expect((await jobs.active()).find((job) => job.key === key)).toMatchObject({ progress })
    })

    test('a failure counts as an attempt, a stopped worker does not, and the report is kept', async () => {
      await queued()
      expect(await jobs.requeue(await claimed(), { dueAt: now(), attemptCounts: true, report })).toBe(true)
      const second = await claimed()
      expect([second.attempts, second.report]).toEqual([2, report])
      await jobs.requeue(second, { dueAt: now(), attemptCounts: false })
      expect(await claimed()).toMatchObject({ attempts: 2, interruptions: 0, report })
    })

    test('a long report keeps only the first skipped files', async () => {
      await queued()
      const skipped = Array.from({ length: 1000 }, (_, n) => ({ path: `${n}/${'p'.repeat(4000)}`, reason: 'r'.repeat(4000) }))
      await jobs.requeue(await claimed(), { dueAt: now(), attemptCounts: true, report: { ...report, skipped } })
      const kept = (await claimed()).report?.skipped
      expect([kept?.length, kept?.at(-1)?.reason]).toEqual([101, 'and 900 more'])
    })

    test('a sweep requests a worker for a job that has waited too long, at intervals', async () => {
      await queued()
      time += 299_000
      expect(await swept()).toEqual([])
      time += 1_000
      expect(await swept()).toEqual([key])
      expect(await swept()).toEqual([])
      time += 300_000
      expect(await swept()).toEqual([key])
    })

    test('a sweep requests a worker when a lease has lapsed, not while it is valid or the job pauses', async () => {
      await queued()
      const job = await claimed()
      time += 60_000
      expect(await swept()).toEqual([])
      time += 1
      expect(await swept()).toEqual([key])
      expect(await swept()).toEqual([])
      await jobs.requeue(job, { dueAt: new Date(time + 45_000), attemptCounts: true })
      time += 300_000
      expect(await swept()).toEqual([])
      time += 45_000
      expect(await swept()).toEqual([key])
    })

    test('a process that works alone takes its former jobs when it starts', async () => {
      await queued()
      await claimed()
      expect(await jobs.recover()).toBeGreaterThanOrEqual(1)
      expect(await claimed('next')).toMatchObject({ interruptions: 1, attempts: 1 })
    })
  })
}

const request = { repoUrl: 'https://github.com/acme/docs', force: false, anonymous: true }

const report: JobReport = {
  filesRead: 3,
  skipped: [{ path: 'a.md', reason: 'too large' }],
  snippetsBefore: 0,
  snippetsAfter: 3,
  tokens: 30,
  durationMs: 5,
  textsEmbedded: 0,
  llmTokens: 0,
}
