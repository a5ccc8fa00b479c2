import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { SnippetStore } from '../../../shared/search/rows/snippet-store.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { page } from '../../fixtures/page.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let install: TestInstall
/** Runs in the store instead of a write. */
let writes: SnippetStore['write'] | undefined

beforeAll(async () => {
  const openSnippets = (folder: string) => {
    const snippets = lanceSnippets(folder)
    return { ...snippets, write: (generation: string) => (writes ?? snippets.write)(generation) }
  }
  install = await testInstall({ openSnippets, limits: { retryPausesMs: [60, 60, 60] } })
})
afterAll(() => install.close())
afterEach(async () => {
  for (const { id } of install.app.jobs.active()) await install.app.worker.cancel(id)
})

const files = { 'README.md': page('Guide', 'The lever turns.') }
const attempts = (job: { log: { line: string }[] }) => job.log.filter(({ line }) => line.startsWith('Run ')).length
/** Processes of this machine that work on the install's clones. */
const gitProcesses = () =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(install.git.url))

test('a host that responds with 503 is retried until it succeeds', async () => {
  await install.git.create('retry/passes', { files })
  install.git.misbehave('retry/passes', { kind: 'status', status: 503, times: 2 })
  const job = await install.parse('retry/passes')
  expect([job.state, attempts(job)]).toEqual(['done', 3])
  expect(job.log.map(({ line }) => line)).toContain(
    `The host ${new URL(install.git.url).host} responded with status 503. Trying again in 0.06 s.`,
  )
})

test('a host that keeps failing is tried four times', async () => {
  await install.git.create('retry/fails', { files })
  install.git.misbehave('retry/fails', { kind: 'status', status: 500 })
  const job = await install.parse('retry/fails')
  expect([job.state, attempts(job), job.error]).toEqual([
    'failed',
    4,
    `provider_unavailable: The host ${new URL(install.git.url).host} responded with status 500.`,
  ])
})

test('a host with Retry-After is retried at that time, and not before', async () => {
  await install.git.create('retry/later', { files })
  install.git.misbehave('retry/later', { kind: 'status', status: 503, times: 1, retryAfter: '1' })
  const job = await install.parse('retry/later')
  expect([job.state, attempts(job)]).toEqual(['done', 2])
  expect(job.log.map(({ line }) => line)).toContain(
    `The host ${new URL(install.git.url).host} responded with status 503. Trying again in 1 s.`,
  )
  const [first = 0, second = 0] = job.log.filter(({ line }) => line.startsWith('Run ')).map(({ at }) => Date.parse(at))
  expect(second - first).toBeGreaterThanOrEqual(1000)
})

test.each([
  ['seconds', '3600'],
  ['a date', new Date(Date.now() + 3_600_000).toUTCString()],
])(
  'a host that requests a long pause in %s is retried after a minute, and the job can be cancelled meanwhile',
  async (form, retryAfter) => {
    const repo = `retry/${form.replace(' ', '-')}`
    await install.git.create(repo, { files })
    install.git.misbehave(repo, { kind: 'status', status: 429, retryAfter })
    const id = await install.queue(repo)
    await install.says(id, 'Trying again in 60 s.')
    const { body } = await install.call('POST', `/api/jobs/${id}/cancel`)
    expect(body.state).toBe('cancelled')
  },
)

test('each failed run is logged once with its error', async () => {
  await install.git.create('retry/logged', { files })
  install.git.misbehave('retry/logged', { kind: 'status', status: 503, times: 2 })
  const { id } = await install.parse('retry/logged')
  const error = expect.objectContaining({ message: expect.stringContaining('responded with status 503') })
  expect(install.log.troubles.filter(({ fields }) => fields.job === id)).toEqual(
    [1, 2].map((attempt) => ({
      message: 'a run of a job failed',
      fields: { job: id, project: '/retry/logged', attempt, error },
    })),
  )
})

test('an unexpected error fails the job as internal_error, and only the server log has the details', async () => {
  await install.git.create('fault/ours', { files })
  const fault = new Error('SELECT secret FROM /etc/shadow')
  writes = () => Promise.reject(fault)
  const job = await install.parse('fault/ours')
  writes = undefined
  const error = 'internal_error: The job failed unexpectedly. The log of the server has the details.'
  expect([job.state, job.error, job.log.at(-1)?.line]).toEqual(['failed', error, error])
  expect(JSON.stringify(job)).not.toContain('secret')
  expect(install.log.troubles).toContainEqual({ message: 'a job failed unexpectedly', fields: { job: job.id, error: fault } })
})

test('an error while the temporary folder cannot be written fails the job with what to do', async () => {
  await install.git.create('fault/temp', { files })
  const path = join(tempDir(), 'missing')
  vi.stubEnv('TMPDIR', path)
  onTestFinished(() => void vi.unstubAllEnvs())
  const fault = new Error('Permission denied')
  writes = () => Promise.reject(fault)
  const job = await install.parse('fault/temp')
  writes = undefined
  expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining(`cannot write to the temporary folder ${path}`) })
  expect(install.log.troubles).toContainEqual({ message: 'a job failed unexpectedly', fields: { job: job.id, error: fault } })
})

test('a version that cannot be fetched is in the report, and the others are served meanwhile and read once', async () => {
  const { app, git } = install
  await git.create('retry/version', { files })
  const change = (words: string) => ({ files: { 'README.md': page('Guide', words) } })
  const commit = await git.commit('retry/version', { ...change('The sundial turns.'), branch: 'one' })
  await git.commit('retry/version', { ...change('The hourglass turns.'), branch: 'two' })
  git.misbehave('retry/version', { kind: 'withhold', commit })

  const id = await install.queue('retry/version', { versions: ['one', 'two'], force: true })
  await install.says(id, 'Trying again')
  expect(app.catalog.find({ owner: 'retry', repo: 'version' })).toMatchObject({ totalSnippets: 1, versions: [] })
  const job = await install.ended(id)
  expect([job.state, attempts(job), job.report?.filesRead]).toEqual(['done', 4, 2])
  expect(job.report?.skipped).toEqual([{ path: '@one', reason: expect.stringContaining('responded with status 503.') }])
  expect(app.catalog.find({ owner: 'retry', repo: 'version' })?.versions).toEqual(['two'])
})

test('a missing repository and a rejected token are not retried', async () => {
  await install.git.create('retry/private', { files, private: '*:right' })
  const absent = await install.parse('retry/absent')
  expect([absent.state, attempts(absent)]).toEqual(['failed', 1])
  expect(absent.error).toContain('to read a private repository set github.token')
  install.app.settings.change({ 'github.token': 'wrong' })
  const refused = await install.parse('retry/private')
  install.app.settings.change({ 'github.token': 'right' })
  expect([refused.state, attempts(refused), refused.error]).toEqual([
    'failed',
    1,
    `access_denied: ${install.git.url}/retry/private is not public, and its host refused the token in github.token.`,
  ])
  const { body } = await install.call('POST', `/api/jobs/${refused.id}/retry`)
  expect((await install.ended(Number(body.queueId))).state).toBe('done')
})

test.each([
  [
    'in the git protocol',
    { kind: 'answer', at: 'objects', body: '0011ERR disabled.' },
    'refused to show the repository: "disabled".',
  ],
  ['by status 451', { kind: 'status', status: 451, words: 'disabled.' }, 'status 451. The host says: "disabled".'],
] as const)(
  'a fetch that the host ends with a reason, %s, is tried once and has the reason in its error',
  async (form, how, message) => {
    const repo = `retry/${form.replaceAll(' ', '-')}`
    await install.git.create(repo, { files })
    install.git.misbehave(repo, how)
    const job = await install.parse(repo)
    expect([job.state, attempts(job), job.error]).toEqual(['failed', 1, expect.stringContaining(message)])
  },
)

test('a job that waits for its next attempt lets other jobs run first', async () => {
  await install.git.create('retry/waits', { files })
  await install.git.create('retry/behind', { files })
  install.git.misbehave('retry/waits', { kind: 'status', status: 503, times: 1 })
  const first = await install.queue('retry/waits')
  await install.says(first, 'Trying again')
  const [waited, behind] = [install.ended(first), install.ended(await install.queue('retry/behind'))]
  expect([(await behind).state, (await waited).state]).toEqual(['done', 'done'])
})

test('cancelling a hanging fetch ends its git processes and deletes its clone promptly', async () => {
  await install.git.create('cancel/stalled', { files })
  install.git.misbehave('cancel/stalled', { kind: 'stall', at: 'pack' })
  const id = await install.queue('cancel/stalled')
  await until(() => gitProcesses().length > 0)
  const { status, body } = await install.call('POST', `/api/jobs/${id}/cancel`)
  expect([status, body.state]).toEqual([202, 'cancelled'])
  expect(gitProcesses()).toEqual([])
  await until(async () => (await readdir(join(install.dataDir, 'clones'))).length === 0)
})

test('a file that is parsed endlessly does not delay a cancel, and the server responds meanwhile', async () => {
  const slow = `${'<div>'.repeat(100_000)}text`
  await install.git.create('cancel/slow', { files: { ...files, 'one.html': slow, 'two.html': slow, 'three.html': slow } })
  const id = await install.queue('cancel/slow')
  await until(() => install.app.jobs.get(id)?.filesTotal)
  for (let n = 0; n < 20; n++) expect((await install.call('GET', '/api/health')).status).toBe(200)
  expect(install.app.jobs.get(id)).toMatchObject({ state: 'parsing', filesDone: 0 })
  await install.call('POST', `/api/jobs/${id}/cancel`)
  expect(install.app.jobs.get(id)).toMatchObject({ state: 'cancelled', filesDone: 0 })
})

test('a queued job is cancelled without running', async () => {
  await install.git.create('cancel/first', { files })
  install.git.misbehave('cancel/first', { kind: 'stall', at: 'refs' })
  const first = await install.queue('cancel/first')
  await until(() => install.app.jobs.get(first)?.state === 'parsing')
  const second = await install.queue('cancel/second')
  const { body } = await install.call('POST', `/api/jobs/${second}/cancel`)
  expect([body.state, body.startedAt, install.app.jobs.get(first)?.state]).toEqual(['cancelled', null, 'parsing'])
})

test('a library with an unfinished job gets no second one', async () => {
  await install.git.create('twice/queued', { files })
  install.git.misbehave('twice/queued', { kind: 'stall', at: 'refs' })
  const id = await install.queue('twice/queued')
  await until(() => install.app.jobs.get(id)?.state === 'parsing')
  const { status, body } = await install.call('POST', '/api/parse', { repoUrl: `${install.git.url}/Twice/Queued` })
  expect(status).toBe(409)
  expect(body).toMatchObject({ error: 'job_active', project: '/twice/queued', status: 'parsing' })
})
