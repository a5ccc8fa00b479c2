import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../shared/store/database.ts'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall

beforeAll(async () => {
  app = await widgetsInstall()
  await app.git.create('acme/slow', { files: { 'README.md': '# Slow\n\nSlow words.\n' } })
  await app.git.create('acme/blank', { files: { 'main.c': 'int main;' } })
})
afterAll(() => app.close())
afterEach(async () => {
  for (const { id } of app.app.jobs.active()) await app.app.worker.cancel(id)
  app.git.misbehave('acme/slow')
})

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const member = (path: string, method = 'GET') => app.json(path, { method, key: app.keys.member })
const queue = async (repo: string) => {
  const body = { repoUrl: `${app.git.url}/${repo}`, force: true }
  const answer = await app.json('/api/parse', { method: 'POST', key: app.keys.admin, body })
  return answer.body as { queueId: number; position: number | null }
}
/** Queues a parse whose host falls silent, and waits until it is asked. */
async function stall(): Promise<number> {
  app.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
  const before = app.git.requests.length
  const { queueId } = await queue('acme/slow')
  await expect.poll(() => app.git.requests.length, { interval: 5 }).toBeGreaterThan(before + 1)
  return queueId
}
const activeParses = async () =>
  ((await app.json('/api/parse-status')).body as { activeParses: Record<string, unknown> }).activeParses

test('a finished job has a report and a log', async () => {
  const { status, body } = await member('/api/jobs/1')
  expect(status).toBe(200)
  expect(body).toEqual({
    id: 1,
    project: '/acme/widgets',
    kind: 'parse',
    state: 'done',
    filesDone: expect.any(Number),
    filesTotal: expect.any(Number),
    snippets: expect.any(Number),
    createdAt: time,
    startedAt: time,
    finishedAt: time,
    error: null,
    report: {
      filesRead: 3,
      filesKept: 2,
      skipped: [],
      snippetsBefore: 0,
      snippetsAfter: 13,
      tokens: expect.any(Number),
      durationMs: expect.any(Number),
      textsEmbedded: 0,
      llmTokens: 0,
      versions: expect.any(Array),
    },
    position: null,
    stage: null,
    nextAttemptAt: null,
    elapsedMs: expect.any(Number),
    advice: null,
    logLines: 6,
    log: expect.arrayContaining([{ at: time, line: 'main: 4 snippets from 2 files, 0 skipped.' }]),
  })
})

test('jobs are listed newest first, in pages, without their logs', async () => {
  await app.ended((await queue('acme/widgets')).queueId)
  const { body } = await member('/api/jobs?pageSize=1')
  expect(body).toMatchObject({ jobs: [{ project: '/acme/widgets', state: 'done' }], page: 1, pageSize: 1 })
  const { jobs, total } = body as { jobs: { id: number }[]; total: number }
  expect(jobs[0]?.id).toBe(total)
  expect(Object.keys(jobs[0] ?? {})).not.toContain('log')
  expect(await member(`/api/jobs?pageSize=1&page=${total + 1}`)).toMatchObject({ body: { jobs: [], total } })
})

test('jobs are filtered by library, state and kind', async () => {
  await app.git.create('acme/empty', { files: { 'main.c': 'int main;' } })
  const failed = await app.queue('acme/empty')
  await app.ended(failed)
  const waiting = await stall()
  const found = async (query: string) => {
    const { body } = await member(`/api/jobs?${query}`)
    const { jobs, total } = body as { jobs: { id: number; project: string }[]; total: number }
    expect(total).toBe(jobs.length)
    return jobs.map(({ id }) => id)
  }
  expect(await found('state=failed')).toEqual([failed])
  expect(await found('state=parsing,failed')).toEqual([waiting, failed])
  expect(await found('project=/Acme/Empty')).toEqual([failed])
  expect(await found('project=/acme/empty/v1')).toEqual([])
  expect(await found('q=MPT')).toEqual([failed])
  expect(await found('q=%25')).toEqual([])
  expect(await found('kind=import,reindex')).toEqual([])
  expect(await found('kind=parse&state=failed&project=/acme/empty')).toEqual([failed])
  expect(await member('/api/jobs?state=failed,lost&kind=')).toMatchObject({
    status: 400,
    body: {
      fields: [
        {
          path: 'state',
          message: 'must be one or more of queued, parsing, finalizing, done, failed, cancelled, separated by commas',
        },
        { path: 'kind' },
      ],
    },
  })
  expect(await member('/api/jobs?project=x')).toMatchObject({ status: 400, body: { error: 'invalid_library_id' } })
})

test('jobs are listed in the order in which they run, before those that have ended', async () => {
  const running = await stall()
  const [first, second] = [await queue('acme/widgets'), await queue('acme/blank')]
  const order = [running, first.queueId, second.queueId]
  const ids = async (query: string) => {
    const { jobs } = (await member(`/api/jobs?${query}`)).body as { jobs: { id: number }[] }
    return jobs.map(({ id }) => id)
  }
  const all = await ids('sort=queue')
  expect(all.slice(0, 3)).toEqual(order)
  expect(all.slice(3)).toEqual(all.slice(3).toSorted((a, b) => b - a))
  expect(await ids('sort=queue&pageSize=2&page=2')).toEqual(all.slice(2, 4))
  expect((await ids('')).slice(0, 3)).toEqual(order.toReversed())
})

test('a log and an error hold no invisible characters', async () => {
  const hostile = 'a \u202Egnp.exe\u0007 \u001B[31mred'
  const id = await stall()
  app.app.jobs.addLogLine(id, hostile)
  expect((await member(`/api/jobs/${id}/log`)).body).toMatchObject({ lines: [{}, { line: 'a gnp.exe [31mred' }] })
  await app.app.worker.cancel(id)
  app.app.jobs.finish(id, { state: 'failed', error: `internal_error: ${hostile}` })
  expect((await member(`/api/jobs/${id}`)).body).toMatchObject({ error: 'internal_error: a gnp.exe [31mred' })
})

test('every list has the number of unfinished jobs and the time of the last failure', async () => {
  const { finishedAt } = await app.parse('acme/blank')
  expect(await member('/api/jobs?kind=import')).toMatchObject({ body: { jobs: [], unfinished: 0, lastFailedAt: finishedAt } })
  await stall()
  await queue('acme/widgets')
  expect(await member('/api/jobs?kind=import')).toMatchObject({ body: { jobs: [], unfinished: 2 } })
})

test('a waiting or running job has its current step, and a failed one has advice', async () => {
  const running = await stall()
  await queue('acme/widgets')
  const { body } = await member('/api/jobs?state=queued,parsing')
  expect(body).toMatchObject({
    jobs: [
      { project: '/acme/widgets', position: 1, stage: 'Waiting for 1 other job', elapsedMs: null, advice: null },
      { id: running, position: 0, stage: expect.stringMatching(/./), elapsedMs: expect.any(Number), advice: null },
    ],
  })
  await app.app.worker.cancel(running)
  await app.git.create('acme/bare', { files: { 'main.c': 'int main;' } })
  expect(await app.parse('acme/bare')).toMatchObject({
    state: 'failed',
    position: null,
    stage: null,
    advice: 'Add the repository again with the folder of its documentation, or with generated documentation.',
  })
  await app.git.create('acme/shrinks', {
    files: { 'README.md': '# Levers\n\nTurn them.\n', 'a.md': '# A\n\nWords.\n', 'b.md': '# B\n\nWords.\n' },
  })
  await app.parse('acme/shrinks')
  await app.git.commit('acme/shrinks', { files: { 'a.md': null, 'b.md': null } })
  expect(await app.refresh('acme/shrinks')).toMatchObject({
    state: 'failed',
    advice:
      'Check the folders and exclusions in the source settings, or add the repository again with force to accept the new content.',
  })
})

test('a log of 100,000 lines is read in pages, and the job has its end', async () => {
  const { body } = await member('/api/jobs/1/log')
  const first = body as { lines: unknown[]; next: number; total: number }
  expect(first).toEqual({ lines: first.lines, next: first.lines.length, total: first.lines.length })
  const id = await app.queue('acme/widgets')
  await app.ended(id)
  const before = ((await member(`/api/jobs/${id}/log`)).body as typeof first).total
  const db = openDatabase(app.dataDir)
  onTestFinished(() => db.close())
  db.exec(`INSERT INTO job_log (job, at, line) SELECT ${id}, '2026-01-01T00:00:00.000Z', 'line ' || value
    FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 100000) SELECT value FROM n)`)
  const total = before + 100_000
  expect(await member(`/api/jobs/${id}/log?after=${before + 50_000}`)).toMatchObject({
    status: 200,
    body: { lines: { 0: { line: 'line 50001' }, 999: { line: 'line 51000' } }, next: before + 51_000, total },
  })
  const end = (await member(`/api/jobs/${id}/log?after=${total - 1}`)).body
  expect(end).toMatchObject({ lines: [{ line: 'line 100000' }], next: total, total })
  expect((await member(`/api/jobs/${id}/log?after=${total + 5}`)).body).toEqual({ lines: [], next: total, total })
  const job = (await member(`/api/jobs/${id}`)).body as { log: { line: string }[]; logLines: number }
  expect(job.logLines).toBe(total)
  expect([job.log.length, job.log[0]?.line, job.log.at(-1)?.line]).toEqual([1001, 'line 99000', 'line 100000'])
  expect(await member('/api/jobs/99999/log')).toMatchObject({ status: 404 })
  expect(await member('/api/jobs/1/log?after=-1')).toMatchObject({ status: 400 })
})

test.each(['0', '-1', 'abc', '1.5', '0x1', '1e0', '%20', '9007199254740993', '99999999999999999999'])(
  'the text "%s" is no id of a job',
  async (id) => {
    const message = 'must be a whole number from 1 to 9007199254740991'
    const refused = {
      status: 400,
      body: { error: 'validation_error', message: `id ${message}.`, fields: [{ path: 'id', message }] },
    }
    expect(await member(`/api/jobs/${id}`)).toEqual(refused)
    expect(await member(`/api/jobs/${id}/cancel`, 'POST')).toEqual(refused)
    expect(await member(`/api/jobs/${id}/retry`, 'POST')).toEqual(refused)
  },
)

test('an unknown job is 404', async () => {
  const unknown = { status: 404, body: { error: 'not_found', message: 'There is no job 99999.' } }
  expect(await member('/api/jobs/99999')).toEqual(unknown)
  expect(await member('/api/jobs/99999/cancel', 'POST')).toEqual(unknown)
  expect(await member('/api/jobs/99999/retry', 'POST')).toEqual(unknown)
})

test('a finished job cannot be cancelled or retried', async () => {
  const refusal = (message: string) => ({
    status: 400,
    body: { error: 'validation_error', message, fields: expect.any(Array) },
  })
  expect(await member('/api/jobs/1/cancel', 'POST')).toEqual(refusal('Job 1 is done; only unfinished jobs can be cancelled.'))
  expect(await member('/api/jobs/1/retry', 'POST')).toEqual(
    refusal('Job 1 is done; only a failed or cancelled job can be retried.'),
  )
})

test('a running job is cancelled within seconds and retried as a new job', async () => {
  const id = await stall()
  expect(await member(`/api/jobs/${id}/cancel`, 'POST')).toMatchObject({
    status: 202,
    body: { id, state: 'cancelled', finishedAt: time },
  })
  app.git.misbehave('acme/slow')
  const retried = await member(`/api/jobs/${id}/retry`, 'POST')
  expect(retried).toMatchObject({ status: 202, body: { message: 'Parse queued', project: '/acme/slow', position: null } })
  expect(await app.ended((retried.body as { queueId: number }).queueId)).toMatchObject({ state: 'done' })
})

test('the library of a running job cannot be queued, refreshed, retried or deleted', async () => {
  const failed = await stall()
  await member(`/api/jobs/${failed}/cancel`, 'POST')
  await stall()
  const active = { status: 409, body: { error: 'job_active', project: '/acme/slow', status: 'parsing' } }
  const parse = { method: 'POST', key: app.keys.member, body: { repoUrl: `${app.git.url}/Acme/Slow` } }
  expect(await app.json('/api/parse', parse)).toMatchObject({ ...active, body: { error: 'job_active', status: 'parsing' } })
  expect(await member(`/api/jobs/${failed}/retry`, 'POST')).toMatchObject(active)
})

test('a library cannot be refreshed or deleted during a refresh, and is still served', async () => {
  app.git.misbehave('acme/widgets', { kind: 'stall', at: 'refs' })
  await queue('acme/widgets')
  await expect.poll(async () => (await activeParses())['/acme/widgets'], { interval: 5 }).toMatchObject({ status: 'parsing' })
  const active = { status: 409, body: { error: 'job_active', project: '/acme/widgets', status: 'parsing' } }
  expect(await member('/api/projects/acme/widgets/refresh', 'POST')).toMatchObject(active)
  expect(await app.json('/api/projects/acme/widgets', { method: 'DELETE', key: app.keys.admin })).toMatchObject(active)
  expect((await app.ask('/api/v2/context?libraryId=/acme/widgets&query=paint')).status).toBe(200)
  app.git.misbehave('acme/widgets')
})

test('parse-status lists running, queued and finalizing jobs', async () => {
  const running = await stall()
  expect(await queue('acme/widgets')).toMatchObject({ position: 1 })
  expect(await activeParses()).toEqual({
    '/acme/slow': {
      status: 'parsing',
      position: 0,
      startedAt: time,
      duration: expect.any(Number),
      statusMessage: expect.any(String),
    },
    '/acme/widgets': { status: 'queued', position: 1, createdAt: time, statusMessage: 'Waiting for 1 other job' },
  })
  app.app.jobs.finalizing(running)
  expect((await activeParses())['/acme/slow']).toEqual({
    status: 'finalizing',
    position: 0,
    startedAt: time,
    duration: expect.any(Number),
    statusMessage: expect.any(String),
  })
})

test('a library in its first parse is not found, and the error has the reason', async () => {
  await app.git.create('acme/first', { files: { 'README.md': '# First\n' } })
  app.git.misbehave('acme/first', { kind: 'stall', at: 'pack' })
  await queue('acme/first')
  const { status, body } = await app.json('/api/v2/context?libraryId=/acme/first&query=x')
  expect(status).toBe(404)
  expect(body).toMatchObject({ error: 'library_not_found' })
  expect((body as { message: string }).message).toMatch(
    /^\/acme\/first is being added: it is being fetched.*\. Try again when it is finished\.$/,
  )
})
