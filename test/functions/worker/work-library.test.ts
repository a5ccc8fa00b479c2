import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { workLibrary } from '../../../functions/worker/work-library.ts'
import { AppError } from '../../../shared/errors.ts'
import { failure } from '../../fixtures/failure.ts'
import { type TestWorker, testWorker } from '../../fixtures/hosted-worker.ts'
import { page } from '../../fixtures/page.ts'
import { until } from '../../fixtures/until.ts'

let worker: TestWorker
const never = new AbortController().signal
const work = (key: string) => workLibrary(worker.ports, key, never)
const files = (words: string) => ({ 'README.md': page('Guide', words) })

beforeAll(async () => {
  worker = await testWorker()
})
afterAll(() => worker.close())

test('an added library is parsed, found by name and served, and its job is deleted', async () => {
  await worker.git.create('flow/add', { files: files('The lever turns.') })
  const key = await worker.queue('flow/add')
  const waiting = await failure(worker.ask('/flow/add', 'lever'))
  expect([waiting.code, waiting.message]).toEqual([
    'library_not_found',
    '/flow/add is being added: it is waiting in the queue. Try again when it is finished.',
  ])
  expect(await work(key)).toBe('finalized')
  expect(await worker.ask('/flow/add', 'lever')).toContain('The lever turns.')
  const { library, versions, report } = await worker.record('flow/add')
  expect(library).toMatchObject({ state: 'finalized', title: 'Guide', totalSnippets: 1 })
  expect(versions.get('')?.bundleBytes).toBeGreaterThan(100)
  expect(report).toMatchObject({ filesRead: 1, snippetsAfter: 1 })
  expect(await worker.ports.jobs.find(key)).toBeUndefined()
  expect(await worker.listed()).toContain('/flow/add')
  expect(await work(key)).toBe('none')
})

test('a library has the stars and the license that its host tells, and keeps its name if it is renamed', async () => {
  await worker.git.create('flow/facts', { files: files('The lever turns.') })
  worker.git.describe('flow/facts', { id: 7, stargazers_count: 42, license: { spdx_id: 'MIT' } })
  expect(await work(await worker.queue('flow/facts'))).toBe('finalized')
  expect((await worker.record('flow/facts')).library).toMatchObject({ stars: 42, codeLicense: 'MIT' })
  await worker.git.rename('flow/facts', 'flow/renamed')
  expect(await work(await worker.queue('flow/facts', { force: true }))).toBe('finalized')
  expect((await worker.record('flow/facts')).library).toMatchObject({ id: '/flow/facts', movedTo: '/flow/renamed' })
})

test('a foreign repository under the name of a library replaces nothing', async () => {
  await worker.git.create('flow/taken', { files: files('The lever turns.') })
  worker.git.describe('flow/taken', { id: 8 })
  expect(await work(await worker.queue('flow/taken'))).toBe('finalized')
  await worker.git.remove('flow/taken')
  await worker.git.create('flow/taken', { files: files('The imposter sings.') })
  worker.git.describe('flow/taken', { id: 9 })
  expect(await work(await worker.queue('flow/taken'))).toBe('failed')
  expect((await worker.record('flow/taken')).lastError).toContain('is another repository than the one')
  expect(await worker.ask('/flow/taken', 'lever')).toContain('The lever turns.')
})

test('a library has the title of its documentation site, and the name of its owner until then', async () => {
  const config = `export default { title: 'Flow', description: 'Levers for all' }`
  await worker.git.create('flow/website', { files: { ...files('The lever turns.'), '.vitepress/config.ts': config } })
  const key = await worker.queue('flow/website')
  expect((await worker.record('flow/website')).library).toMatchObject({ title: 'flow' })
  expect(await work(key)).toBe('finalized')
  expect((await worker.record('flow/website')).library).toMatchObject({ title: 'Flow', description: 'Levers for all' })
})

test.each([
  ['version', { versions: ['v2'] }, 'no branch or tag "v2". Did you mean v1?'],
  ['folder', { folders: ['guides'] }, 'no folder "guides". Did you mean guide?'],
])('a parse of a %s that does not exist fails with the nearest names and serves nothing', async (what, request, words) => {
  const all = { ...files('The lever turns.'), 'guide/use.md': page('Use', 'The pulley turns.') }
  await worker.git.create(`missing/${what}`, { files: all, tags: ['v1'] })
  expect(await work(await worker.queue(`missing/${what}`, request))).toBe('failed')
  const { lastError, versions, settings } = await worker.record(`missing/${what}`)
  expect([lastError, versions.size, settings]).toEqual([expect.stringContaining(words), 0, {}])
})

test('a folder that is a link is read as its target, and a submodule is reported with its address', async () => {
  const more = { docs: { link: 'packages/docs' }, lib: { submodule: 'a'.repeat(40) }, src: { submodule: 'b'.repeat(40) } }
  const modules = '[submodule "lib"]\n\tpath = lib\n\turl = https://github.com/acme/lib.git\n'
  await worker.git.create('missing/linked', {
    files: {
      ...files('The lever turns.'),
      ...more,
      'packages/docs/use.md': page('Use', 'The pulley turns.'),
      '.gitmodules': modules,
    },
  })
  expect(await work(await worker.queue('missing/linked', { folders: ['docs', '.'] }))).toBe('finalized')
  const { report, settings } = await worker.record('missing/linked')
  expect([report?.filesRead, settings.folders]).toEqual([2, ['docs', '.']])
  expect(report?.skipped.map(({ reason }) => reason)).toEqual([
    'a link to a folder: packages/docs/ is read at its own path',
    'it is a submodule, which is not fetched; add its repository https://github.com/acme/lib',
    'it is a submodule without an address, which is not fetched',
  ])
})

test('a parse begins while the list of libraries is still being published', async () => {
  await worker.git.create('flow/beside', { files: files('The lever turns.') })
  const key = await worker.queue('flow/beside')
  const began = Promise.withResolvers<void>()
  const { catalog } = worker.ports
  const parsing: typeof catalog.parsing = (...asked) => {
    began.resolve()
    return catalog.parsing(...asked)
  }
  const publish = () => began.promise
  expect(await workLibrary({ ...worker.ports, catalog: { ...catalog, parsing }, publish }, key, never)).toBe('finalized')
})

test('a worker that stops also stops publishing the list of libraries, and waits for it', async () => {
  await worker.git.create('flow/stopped', { files: files('The lever turns.') })
  const key = await worker.queue('flow/stopped')
  const stopping = new AbortController()
  let ended = false
  const publish = async (signal: AbortSignal = never) => {
    setImmediate(() => stopping.abort())
    await once(signal, 'abort')
    await sleep(50)
    ended = true
  }
  expect(await workLibrary({ ...worker.ports, publish }, key, stopping.signal)).toBe('queued')
  expect(ended).toBe(true)
  expect(await work(key)).toBe('finalized')
})

test('the state and the progress show a running parse', async () => {
  await worker.git.create('flow/slow', { files: files('The lever turns.') })
  worker.git.misbehave('flow/slow', { kind: 'stall', at: 'refs' })
  const key = await worker.queue('flow/slow')
  const stopping = new AbortController()
  const running = workLibrary(worker.ports, key, stopping.signal)
  await until(async () => (await worker.ports.jobs.find(key))?.progress.stage)
  expect((await worker.record('flow/slow')).library.state).toBe('processing')
  expect((await failure(worker.ask('/flow/slow', 'lever'))).message).toContain('it is being fetched (Asking the host')
  stopping.abort()
  expect(await running).toBe('queued')
  expect(await worker.ports.jobs.find(key)).toMatchObject({ state: 'queued', attempts: 0, interruptions: 0 })
  worker.git.misbehave('flow/slow')
  expect(await work(key)).toBe('finalized')
})

test('a failed refresh keeps the old content served with the reason, and the next success removes the reason', async () => {
  const old = page('Guide', 'The old lever turns.', 'The wheel stands.', 'The crank rests.')
  await worker.git.create('flow/fails', { files: { 'README.md': old } })
  await work(await worker.queue('flow/fails'))
  await worker.git.commit('flow/fails', { files: files('Nothing much.') })
  expect(await work(await worker.queue('flow/fails'))).toBe('failed')
  const record = await worker.record('flow/fails')
  expect(record.library.state).toBe('finalized')
  expect(record.lastError).toContain('more than half would be lost')
  expect(await worker.ask('/flow/fails', 'lever')).toContain('The old lever turns.')
  await worker.git.commit('flow/fails', { files: { 'README.md': old.replace('old', 'new') } })
  expect(await work(await worker.queue('flow/fails'))).toBe('finalized')
  expect((await worker.record('flow/fails')).lastError).toBeUndefined()
  expect(await worker.ask('/flow/fails', 'lever')).toContain('The new lever turns.')
})

test('a library whose first parse failed is in error and not found, and a question gets the reason', async () => {
  expect(await work(await worker.queue('flow/absent'))).toBe('failed')
  expect((await worker.record('flow/absent')).library.state).toBe('error')
  const { code, message } = await failure(worker.ask('/flow/absent', 'lever'))
  expect([code, message]).toEqual(['library_not_found', expect.stringContaining('it could not be added. ')])
  expect(await worker.listed()).not.toContain('/flow/absent')
})

test('a transient failure is retried after a pause, with four attempts in total', async () => {
  await worker.git.create('flow/passes', { files: files('The lever turns.') })
  worker.git.misbehave('flow/passes', { kind: 'status', status: 503, times: 2 })
  const key = await worker.queue('flow/passes')
  worker.sent.length = 0
  expect([await work(key), await work(key), await work(key)]).toEqual(['queued', 'queued', 'finalized'])
  expect(worker.sent).toEqual([
    [key, 60],
    [key, 60],
  ])

  await worker.git.create('flow/stays', { files: files('The lever turns.') })
  worker.git.misbehave('flow/stays', { kind: 'status', status: 503 })
  const other = await worker.queue('flow/stays')
  expect([await work(other), await work(other), await work(other), await work(other)]).toEqual([
    'queued',
    'queued',
    'queued',
    'failed',
  ])
  expect((await worker.record('flow/stays')).lastError).toContain('status 503')
})

test('an unavailable store is retried, and the reason stays in the log', async () => {
  await worker.git.create('flow/store', { files: files('The lever turns.') })
  const key = await worker.queue('flow/store')
  const secret = new Error('SlowDown: secret of the store')
  const snippets = { ...worker.ports.snippets, write: () => Promise.reject(secret) }
  const failing = () => workLibrary({ ...worker.ports, snippets }, key, never)
  for (let n = 0; n < 3; n++) expect(await failing()).toBe('queued')
  expect(await failing()).toBe('failed')
  expect((await worker.record('flow/store')).lastError).toBe(
    'The job failed unexpectedly. The log of the server has the details.',
  )
  expect(worker.troubles).toContainEqual({
    message: 'a job failed unexpectedly',
    fields: expect.objectContaining({ error: secret }),
  })
})

test('a library that is removed during a parse stays removed', async () => {
  await worker.git.create('flow/removed', { files: files('The lever turns.') })
  const key = await worker.queue('flow/removed')
  const snippets = {
    ...worker.ports.snippets,
    async write(generation: string) {
      await worker.ports.catalog.remove({ owner: 'flow', repo: 'removed' })
      return worker.ports.snippets.write(generation)
    },
  }
  expect(await workLibrary({ ...worker.ports, snippets }, key, never)).toBe('failed')
  expect(await worker.ports.catalog.record({ owner: 'flow', repo: 'removed' })).toBeUndefined()
  expect(await worker.ports.jobs.find(key)).toBeUndefined()
})

test('a snapshot that cannot be published does not fail the job, and the next one includes it', async () => {
  await worker.git.create('flow/unpublished', { files: files('The lever turns.') })
  const publish = () => Promise.reject(new AppError('provider_unavailable', 'the bucket is down'))
  expect(await workLibrary({ ...worker.ports, publish }, await worker.queue('flow/unpublished'), never)).toBe('finalized')
  expect(await worker.listed()).not.toContain('/flow/unpublished')
  await worker.ports.publish()
  expect(await worker.listed()).toContain('/flow/unpublished')
})

test('a job is finished before its outcome is published, so that a worker that dies while it publishes has done its job', async () => {
  await worker.git.create('flow/dying', { files: files('The lever turns.') })
  const key = await worker.queue('flow/dying')
  let publishes = 0
  const publish = async () => {
    publishes += 1
    if (publishes === 1) return
    expect(await worker.ports.jobs.find(key)).toBeUndefined()
    throw new Error('killed')
  }
  expect(await workLibrary({ ...worker.ports, publish }, key, never)).toBe('finalized')
  expect(publishes).toBe(2)
  expect(await worker.ask('/flow/dying', 'lever')).toContain('turns')
  await worker.ports.publish()
  expect(await worker.listed()).toContain('/flow/dying')
})
