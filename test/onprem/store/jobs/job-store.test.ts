import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { maxEndedJobs } from '../../../../onprem/store/jobs/job-queue.ts'
import { type JobStore, sqliteJobs } from '../../../../onprem/store/jobs/job-store.ts'
import { parseLibraryId } from '../../../../shared/library.ts'
import { openDatabase } from '../../../../shared/store/database.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

let now: Date
let db: DatabaseSync
let jobs: JobStore

beforeEach(() => {
  now = new Date('2026-01-01T00:00:00Z')
  db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  jobs = sqliteJobs(db, () => now)
})

const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000)
}
const enqueue = (name: string, caller?: string) =>
  jobs.enqueue({
    library: { owner: 'a', repo: name },
    ...(caller !== undefined && { caller }),
    kind: 'parse',
    request: { repoUrl: `https://github.com/a/${name}`, force: false, anonymous: false },
  })
const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n)

test('jobs are claimed in the order in which they were queued, each once', () => {
  const ids = ['one', 'two', 'three'].map((name) => enqueue(name).id)
  expect([jobs.claim()?.id, jobs.claim()?.id, jobs.claim()?.id, jobs.claim()?.id]).toEqual([...ids, undefined])
})

test('a job gets the number of jobs ahead of it', () => {
  expect(['one', 'two', 'three'].map((name) => enqueue(name).position)).toEqual([null, 1, 2])
})

const reindex = (name: string, request = {}) => jobs.enqueue({ library: { owner: 'a', repo: name }, kind: 'reindex', request }).id
/** Claims and ends all due jobs, and returns their libraries in the order of the claims. */
function run(): string[] {
  const projects: string[] = []
  for (let job = jobs.claim(); job; job = jobs.claim()) {
    projects.push(`${job.kind} ${job.project}`)
    jobs.finish(job.id, { state: 'done' })
  }
  return projects
}

test('a re-index runs after every other job, that of the most-asked library first, and after one that rebuilds content', () => {
  const days = db.prepare('INSERT INTO usage_days (id, date, page, txt, mcp, cli) VALUES (?, ?, 0, ?, ?, 0)')
  days.run('/a/seldom', '2025-12-31', 1, 0)
  days.run('/a/often', '2025-12-31', 3, 4)
  days.run('/a/long-ago', '2025-10-01', 100, 0)
  for (const name of ['never', 'seldom', 'long-ago', 'often']) reindex(name)
  reindex('old', { keepVectors: true })
  enqueue('parsed', 'ann')
  enqueue('seldom', 'ann')
  const order = [
    'parse /a/parsed',
    'parse /a/seldom',
    ...['old', 'often', 'seldom', 'never', 'long-ago'].map((name) => `reindex /a/${name}`),
  ]
  expect(jobs.active().map(({ kind, project }) => `${kind} ${project}`)).toEqual(order)
  expect(run()).toEqual(order)
})

test('a re-index waits while another one waits for its provider, and no other job does', () => {
  const first = reindex('first')
  reindex('second')
  expect(jobs.claim()?.id).toBe(first)
  const dueAt = new Date(now.getTime() + 30_000)
  jobs.requeue(first, { dueAt, attemptCounts: false, reason: 'The provider is away.' })
  expect([jobs.claim(), jobs.nextDue()]).toEqual([undefined, dueAt])
  enqueue('parsed')
  expect([jobs.nextDue(), jobs.nextFirst()]).toEqual([now, now])
  expect(run()).toEqual(['parse /a/parsed'])
  later(30)
  expect(run()).toEqual(['reindex /a/first', 'reindex /a/second'])
})

test('a library may have a re-index next to a parse, and one of each at most', () => {
  reindex('docs')
  enqueue('docs')
  expect(() => enqueue('docs')).toThrow('already has a job')
  expect(() => reindex('docs')).toThrow('already has a job')
  expect([jobs.activeOf('/a/docs')?.kind, jobs.reindexOf('/a/docs')?.kind]).toEqual(['parse', 'reindex'])
})

test('callers take turns: one that queues many jobs delays the job of another by one', () => {
  const claimed = () => {
    later(1)
    const job = jobs.claim()
    if (job) jobs.finish(job.id, { state: 'done' })
    return job?.project
  }
  for (const name of ['one', 'two', 'three', 'four']) enqueue(name, 'ann')
  expect(claimed()).toBe('/a/one')
  expect(enqueue('five', 'bob').position).toBe(null)
  expect(enqueue('six', 'bob').position).toBe(2)
  expect(enqueue('seven').position).toBe(1)
  const order = ['/a/five', '/a/seven', '/a/two', '/a/six', '/a/three', '/a/four']
  expect(jobs.active().map(({ project }) => project)).toEqual(order)
  expect(jobs.list(1, 10, { isInOrder: true }).jobs.map(({ project }) => project)).toEqual([...order, '/a/one'])
  const positions = jobs.activity(jobs.active().map(({ id }) => id))
  expect(jobs.active().map(({ id }) => positions.get(id)?.position)).toEqual([0, 1, 2, 3, 4, 5])
  expect(order.map(claimed)).toEqual(order)
})

test('later attempts take turns like first ones', () => {
  const attempted = ['one', 'two', 'three'].map((name) => enqueue(name, 'ann').id)
  for (const id of attempted) {
    later(1)
    expect(jobs.claim()?.id).toBe(id)
    jobs.requeue(id, { dueAt: new Date(now.getTime() + 60_000), attemptCounts: true })
  }
  const others = ['four', 'five', 'six'].map((name) => enqueue(name, 'bob').id)
  later(1)
  const claimed = [jobs.claim()?.id]
  later(100)
  for (let n = 0; n < 5; n++) {
    later(1)
    claimed.push(jobs.claim()?.id)
  }
  expect(claimed).toEqual([0, 1, 2].flatMap((n) => [others[n], attempted[n]]))
})

test('a job that waits for another attempt is not counted as ahead of others', () => {
  const { id } = enqueue('retried')
  jobs.claim()
  jobs.requeue(id, { dueAt: new Date(now.getTime() + 5000), attemptCounts: true })
  expect([enqueue('one').position, enqueue('two').position]).toEqual([null, 1])
  expect(jobs.active().map(({ project, position }) => [project, position])).toEqual([
    ['/a/one', 0],
    ['/a/two', 1],
    ['/a/retried', 2],
  ])
})

test('a library has one unfinished job at a time', () => {
  enqueue('one')
  jobs.claim()
  expect(() => enqueue('one')).toThrow('/a/one already has a job that is running; wait for it or cancel job 1.')
  jobs.finish(1, { state: 'done' })
  expect(enqueue('one').id).toBe(2)
})

test('a job that waits for another attempt blocks no other, and runs when it is due', () => {
  const { id } = enqueue('retried')
  jobs.claim()
  jobs.requeue(id, { dueAt: new Date(now.getTime() + 5000), attemptCounts: true })
  later(1)
  const other = enqueue('other')
  expect(jobs.claim()?.id).toBe(other.id)
  expect(jobs.claim()).toBeUndefined()
  expect(jobs.nextDue()).toEqual(new Date('2026-01-01T00:00:05Z'))
  later(5)
  expect(jobs.claim()).toMatchObject({ id, attempts: 2, interruptions: 0 })
})

test('an interrupted job runs again before the jobs behind it, and its attempts start from zero', () => {
  const { id } = enqueue('interrupted')
  jobs.claim()
  jobs.requeue(id, { dueAt: now, attemptCounts: true })
  later(1)
  enqueue('behind')
  jobs.claim()
  expect(jobs.recover()).toBe(1)
  expect(jobs.claim()).toMatchObject({ id, attempts: 1, interruptions: 1 })
})

test('a job that a stopping server requeued loses no attempt and has no interruption', () => {
  const { id } = enqueue('stopped')
  jobs.claim()
  jobs.requeue(id, { dueAt: now, attemptCounts: false })
  expect(jobs.recover()).toBe(0)
  expect(jobs.claim()).toMatchObject({ id, attempts: 1, interruptions: 0 })
})

const interrupt = (times: number) => {
  for (let crash = 0; crash < times; crash++) {
    later(3_600)
    jobs.claim()
    jobs.recover()
  }
}
const secondsToWait = () => ((jobs.nextDue()?.getTime() ?? 0) - now.getTime()) / 1000

test('a job pauses after three interruptions, longer after each, and blocks no other job', () => {
  const { id } = enqueue('deadly')
  interrupt(2)
  expect(jobs.interrupted()).toEqual([])
  const pauses = [3, 4, 5, 6].map(() => {
    interrupt(1)
    return secondsToWait()
  })
  expect(pauses).toEqual([5, 10, 20, 40])
  interrupt(20)
  expect(secondsToWait()).toBe(3_600)
  expect(jobs.interrupted()).toEqual([{ id, project: '/a/deadly', interruptions: 26, dueAt: jobs.nextDue()?.toISOString() }])
  const other = enqueue('other')
  expect([jobs.claim()?.id, jobs.claim()]).toEqual([other.id, undefined])
  later(3_600)
  expect(jobs.claim()).toMatchObject({ id, interruptions: 26 })
  expect(jobs.interrupted()).toMatchObject([{ id, dueAt: null }])
  jobs.finish(id, { state: 'done' })
  expect(jobs.interrupted()).toEqual([])
})

test('a pause lasts across restarts, and ends if the next process has more memory or the clock was set back', () => {
  const { id } = enqueue('deadly')
  interrupt(4)
  jobs.recover()
  expect([jobs.claim(), secondsToWait()]).toEqual([undefined, 10])
  later(-7_200)
  expect(jobs.claim()?.id).toBe(id)
  jobs.recover()
  db.exec('UPDATE jobs SET memory = memory / 2')
  jobs.recover()
  expect(jobs.interrupted()).toEqual([])
  expect(jobs.claim()).toMatchObject({ id, interruptions: 0 })
})

test('a server that is killed while it stops does not interrupt its job', () => {
  const { id } = enqueue('stopped')
  jobs.claim()
  jobs.stopping(id)
  expect(jobs.recover()).toBe(1)
  expect(jobs.claim()).toMatchObject({ id, interruptions: 0 })
})

/** Crashes as often as a suspect needs, each time while these files are read. */
const crashThrice = (id: number, version: string, paths: string[]) => {
  for (let crash = 0; crash < 3; crash++) {
    jobs.claim()
    jobs.files(id, version).handedOut(paths)
    jobs.recover()
  }
}
const suspects = (id: number, version = '') => [...jobs.files(id, version).suspects()]

test('a file that was being read at three crashes is suspect; one that was handed back is not', () => {
  const { id } = enqueue('crashing')
  const files = jobs.files(id, '')
  for (const bystander of ['one.md', 'two.md', 'three.md']) {
    jobs.claim()
    expect(suspects(id)).toEqual([])
    files.handedOut(['poison.md', 'innocent.md', bystander])
    files.handedBack(['innocent.md'])
    jobs.recover()
  }
  expect(suspects(id)).toEqual(['poison.md'])
  jobs.claim()
  files.handedOut(['poison.md'])
  files.handedBack(['poison.md'])
  jobs.recover()
  expect(suspects(id)).toEqual(['poison.md'])
})

test('a suspect file stays suspect in later jobs and all versions of its library, and in no other library', () => {
  const { id } = enqueue('crashing')
  crashThrice(id, 'v1', ['poison.md'])
  jobs.finish(id, { state: 'failed', error: 'no' })
  const [again, other] = [enqueue('crashing').id, enqueue('other').id]
  expect([suspects(again, 'v1'), suspects(again), suspects(other)]).toEqual([['poison.md'], ['poison.md'], []])
})

test('crashes of two jobs add up, unless the version was read completely between them', () => {
  const crash = (name: string) => {
    const { id } = enqueue(name)
    jobs.claim()
    jobs.files(id, '').handedOut(['poison.md'])
    jobs.recover()
    jobs.finish(id, { state: 'cancelled' })
    return id
  }
  const ids = ['unread', 'read'].map((name) => {
    crash(name)
    const id = crash(name)
    if (name === 'read') jobs.files(id, '').allRead([])
    return crash(name)
  })
  expect(ids.map((id) => suspects(id))).toEqual([['poison.md'], []])
})

test('the named suspects stay suspect after a version was read completely, and no others', () => {
  const { id } = enqueue('crashing')
  crashThrice(id, '', ['poison.md', 'innocent.md', 'gone.md'])
  crashThrice(id, 'v1', ['old.md'])
  jobs.files(id, '').allRead(['poison.md'])
  expect(suspects(id).sort()).toEqual(['old.md', 'poison.md'])
})

test('a job that ends or is requeued has no file marked as being read', () => {
  const { id } = enqueue('one')
  const endings = [
    () => jobs.requeue(id, { dueAt: now, attemptCounts: true }),
    () => jobs.requeue(id, { dueAt: now, attemptCounts: false }),
    () => jobs.finish(id, { state: 'failed', error: 'no' }),
  ]
  for (const end of endings) {
    jobs.claim()
    jobs.files(id, '').handedOut(['a.md', 'b.md'])
    end()
    jobs.recover()
  }
  expect([suspects(id), count('files_in_hand')]).toEqual([[], 0])
})

test('crashes of a library that has neither content nor a job are forgotten at the next start', () => {
  crashThrice(enqueue('gone').id, '', ['poison.md'])
  db.exec('DELETE FROM jobs')
  expect(count('file_crashes')).toBe(1)
  jobs.recover()
  expect(count('file_crashes')).toBe(0)
})

test('a log ends with a note after a thousand lines of at most a thousand characters', () => {
  const { id } = enqueue('chatty')
  for (let n = 0; n < 1005; n++) jobs.addLogLine(id, `${n} ${'x'.repeat(2000)}`)
  const log = jobs.log(id)
  expect([log.length, log[0]?.line.length, log.at(-1)?.line]).toEqual([1001, 1000, 'The log ends here: it has 1000 lines.'])
})

test('the newest thousand ended jobs and all unfinished ones are kept, with their logs', () => {
  const waiting = enqueue('waiting').id
  db.exec('BEGIN')
  db.exec(`INSERT INTO jobs (key, project, kind, state, request, created_at, due_at)
    SELECT 'k' || value, 'p', 'parse', 'done', '{}', 't', 't' FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 1001) SELECT value FROM n)`)
  db.exec("INSERT INTO job_log (job, at, line) SELECT id, 't', 'line' FROM jobs")
  db.exec('COMMIT')
  const { id } = enqueue('last')
  jobs.finish(id, { state: 'done' })
  expect(jobs.list(1, 1).total).toBe(maxEndedJobs + 1)
  expect(count('job_log')).toBe(maxEndedJobs)
  expect([jobs.get(waiting)?.state, jobs.get(2), jobs.get(3), jobs.get(4)?.state]).toEqual([
    'queued',
    undefined,
    undefined,
    'done',
  ])
})

test('a job that was queued while the clock was ahead runs as soon as the clock is right', () => {
  later(24 * 3600)
  const { id } = enqueue('ahead')
  later(-24 * 3600)
  expect(enqueue('after').position).toBe(null)
  expect([jobs.claim()?.project, jobs.claim()?.id]).toEqual(['/a/after', id])
})

test('a pause that began before the clock was set back ends immediately; otherwise a pause of a minute lasts', () => {
  const { id } = enqueue('paused')
  jobs.claim()
  jobs.requeue(id, { dueAt: new Date(now.getTime() + 60_000), attemptCounts: true })
  expect(jobs.claim()).toBeUndefined()
  later(-3600)
  expect(jobs.claim()?.id).toBe(id)
})

test('the data of a failed import is kept for a week', () => {
  const order = { library: { owner: 'a', repo: 'late' }, kind: 'import' as const, request: { staged: 'abc', origin: '' } }
  const { id } = jobs.enqueue(order)
  later(30 * 24 * 3600)
  expect([...jobs.stagedImports()]).toEqual(['abc'])
  jobs.claim()
  jobs.finish(id, { state: 'failed', error: 'x' })
  later(6 * 24 * 3600)
  expect([...jobs.stagedImports()]).toEqual(['abc'])
  later(2 * 24 * 3600)
  expect([...jobs.stagedImports()]).toEqual([])
})

test('a job that is cancelled while it waits for another run keeps the report of those before', () => {
  const { id } = enqueue('one')
  jobs.claim()
  const counts = { snippetsBefore: 1, snippetsAfter: 1, tokens: 5, durationMs: 9, textsEmbedded: 7, llmTokens: 0 }
  const report = { filesRead: 3, skipped: [], ...counts }
  jobs.requeue(id, { dueAt: now, attemptCounts: false, report })
  jobs.finish(id, { state: 'cancelled' })
  expect(jobs.get(id)).toMatchObject({ state: 'cancelled', report })
})

test('a library whose versions are imported for the first time is one library without content', () => {
  const add = (key: string) => {
    const queued = jobs.enqueueAll([{ library: parseLibraryId(key), kind: 'import', request: { staged: 'x', origin: '' } }])
    return (queued[0] as { id: number }).id
  }
  const states = () => jobs.unserved.list().map(({ id, kind, state }) => `${id} ${kind} ${state}`)
  const ids = ['/@scope/pkg@v1', '/@scope/pkg@v2', '/a/docs'].map(add)
  expect(states()).toEqual(['/@scope/pkg import processing', '/a/docs import processing'])
  for (const id of ids.slice(1)) jobs.finish(id, { state: 'failed', error: 'internal_error: It failed.' })
  expect(states()).toEqual(['/@scope/pkg import processing', '/a/docs import error'])
  jobs.finish(ids[0] as number, { state: 'cancelled' })
  jobs.dismiss('/a/docs')
  expect(states()).toEqual(['/@scope/pkg import error'])
  expect(jobs.unserved.find('/@scope/pkg')?.job).toMatchObject({ id: ids[1], error: 'internal_error: It failed.' })
})
