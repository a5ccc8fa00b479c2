import { expect, onTestFinished, test } from 'vitest'
import { isUnchanged, type UnchangedPorts } from '../../../functions/worker/is-unchanged.ts'
import { startWorkers } from '../../../functions/worker/start-workers.ts'
import { workLibrary } from '../../../functions/worker/work-library.ts'
import type { JobRequest } from '../../../shared/indexing/index-job.ts'
import { generationFormat } from '../../../shared/store/generation-format.ts'
import { testWorker } from '../../fixtures/hosted-worker.ts'
import { page } from '../../fixtures/page.ts'

const never = new AbortController().signal
const files = { 'README.md': page('Guide', 'The lever turns.') }
const versions = { previousVersions: [{ tag: 'v1' }] }

/** A library with two versions, and what a starter answers for its next job. */
async function parsedLibrary() {
  const worker = await testWorker()
  onTestFinished(worker.close)
  const { ports, git } = worker
  await git.create('acme/docs', { files: { ...files, 'carrel.json': JSON.stringify(versions) }, tags: ['v1'] })
  expect(await workLibrary(ports, await worker.queue('acme/docs'), never)).toBe('finalized')
  const unchanged: UnchangedPorts = {
    catalog: ports.catalog,
    gitHosts: ports.gitHosts,
    gitAccess: ports.gitAccess,
    probeMs: 5_000,
    isIntact: async () => true,
  }
  const request = { repoUrl: `${git.url}/acme/docs`, force: false, anonymous: true }
  const check = (more: Partial<JobRequest> = {}, other: Partial<UnchangedPorts> = {}) =>
    isUnchanged({ ...unchanged, ...other }, { project: '/acme/docs', request: { ...request, ...more } })
  return { ...worker, check, unchanged }
}

test('a job of an unchanged repository is finished without a worker, and its library is served as before', async () => {
  const { ports, queue, record, unchanged, ask, listed } = await parsedLibrary()
  const before = await record('acme/docs')
  const key = await queue('acme/docs')
  const started: string[] = []
  const starter = {
    ...ports,
    isUnchanged: (job: Parameters<typeof isUnchanged>[1]) => isUnchanged(unchanged, job),
    runTask: async (each: string) => void started.push(each),
  }
  const messages = { Records: [{ messageId: '1', body: key }] } as unknown as Parameters<typeof startWorkers>[1]
  expect(await startWorkers(starter, messages)).toEqual({ batchItemFailures: [] })
  expect([started, await ports.jobs.find(key)]).toEqual([[], undefined])
  expect(await record('acme/docs')).toEqual(before)
  expect(await ask('/acme/docs', 'lever')).toContain('turns')
  expect(await listed()).toContain('/acme/docs')
  await queue('acme/docs', { force: true })
  await startWorkers(starter, messages)
  expect(started).toEqual([key])
})

test('a commit of any version, a new tag that is asked for, and a lost branch need a worker', async () => {
  const { check, git } = await parsedLibrary()
  expect(await check()).toBe(true)
  expect(await check({ versions: ['v2'] })).toBe(false)
  await git.commit('acme/docs', { files: { 'more.md': page('More', 'The rope.') } })
  expect(await check()).toBe(false)
})

test('a worker starts if the request, the format, the last outcome or the stored content says so', async () => {
  const { check, ports } = await parsedLibrary()
  for (const more of [
    { force: true },
    { rebuild: true },
    { adds: true },
    { anonymous: false },
    { tree: 'v1' },
    { folders: ['docs'] },
  ])
    expect(await check(more), JSON.stringify(more)).toBe(false)
  expect(await check({}, { isIntact: async () => false })).toBe(false)
  const id = { owner: 'acme', repo: 'docs' }
  await ports.catalog.begin(id, 'w')
  await ports.catalog.end(id, 'w', { error: 'It failed.' })
  expect(await check()).toBe(false)
  await ports.catalog.begin(id, 'w')
  await ports.catalog.end(id, 'w', {})
  expect(await check()).toBe(true)
  await ports.catalog.begin(id, 'w')
  const [{ generation } = { generation: '' }] = (await ports.catalog.record(id))?.versions.values() ?? []
  await ports.catalog.replace(id, { worker: 'w', bundleBytes: () => 1 }, generation, { generation, format: generationFormat - 1 })
  await ports.catalog.end(id, 'w', {})
  expect(await check()).toBe(false)
})

test('a repository that has become private, has moved or cannot be reached needs a worker', async () => {
  const { check, git } = await parsedLibrary()
  await git.remove('acme/docs')
  expect(await check()).toBe(false)
})
