import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall

beforeAll(async () => {
  app = await widgetsInstall()
  await app.git.create('acme/slow', { files: { 'README.md': '# Slow\n\nSlow words.\n' } })
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
  const answer = await app.json('/api/parse', { method: 'POST', key: app.keys.member, body })
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
      filesRead: 5,
      skipped: [],
      snippetsBefore: 0,
      snippetsAfter: 13,
      tokens: expect.any(Number),
      durationMs: expect.any(Number),
      textsEmbedded: 0,
      llmTokens: 0,
      versions: expect.any(Array),
    },
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

test.each(['0', '-1', 'abc', '1.5', '0x1', '1e0', '%20', '9007199254740993', '99999999999999999999'])(
  '"%s" is no id of a job',
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

test('during a refresh, a library cannot be refreshed or deleted and is still served', async () => {
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

test('a library in its first parse is not found, and the error says why', async () => {
  await app.git.create('acme/first', { files: { 'README.md': '# First\n' } })
  app.git.misbehave('acme/first', { kind: 'stall', at: 'pack' })
  await queue('acme/first')
  const { status, body } = await app.json('/api/v2/context?libraryId=/acme/first&query=x')
  expect(status).toBe(404)
  expect(body).toMatchObject({ error: 'library_not_found' })
  expect((body as { message: string }).message).toMatch(
    /^\/acme\/first is being parsed for the first time: it is being fetched.*\. Try again when it is finished\.$/,
  )
})
