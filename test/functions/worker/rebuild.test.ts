import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { rebuildOutdated } from '../../../functions/jobs/rebuild-outdated.ts'
import { workLibrary } from '../../../functions/worker/work-library.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import { generationFormat } from '../../../shared/store/generation-format.ts'
import { type TestWorker, testWorker } from '../../fixtures/hosted-worker.ts'
import { page } from '../../fixtures/page.ts'

const id = parseLibraryId('/local/docs')
const never = new AbortController().signal
let worker: TestWorker

/** A library whose content is in an older format. */
beforeEach(async () => {
  worker = await testWorker()
  onTestFinished(worker.close)
  const { ports, git } = worker
  await git.create('local/docs', { files: { 'README.md': page('Guide', 'The lever turns.') } })
  expect(await workLibrary(ports, await worker.queue('local/docs'), never)).toBe('finalized')
  const { versions } = await worker.record('local/docs')
  await ports.catalog.begin(id, 'old')
  const old = { worker: 'old', bundleBytes: () => 100 }
  for (const { generation } of versions.values())
    await ports.catalog.replace(id, old, generation, { generation, format: generationFormat - 1 })
  await ports.catalog.end(id, 'old', {})
})

const held = async () => (await worker.record('local/docs')).versions.get('')

test('content in an old format is rebuilt from its rows, without the repository, while nothing else is queued', async () => {
  const { ports, git, sent } = worker
  const before = await held()
  await git.remove('local/docs')
  const rebuild = rebuildOutdated({ ...ports, workers: 1 })
  await ports.jobs.enqueue({ key: '/a/b', project: '/a/b', request: { repoUrl: '', force: false, anonymous: true } })
  await rebuild()
  expect((await ports.jobs.active()).map(({ key }) => key)).toEqual(['/a/b'])
  const other = await ports.jobs.claim('/a/b', 'w')
  if (other) await ports.jobs.finish(other)
  await rebuild()
  await rebuild()
  expect(sent).toEqual([['/local/docs', 0]])
  expect(await workLibrary(ports, '/local/docs', never)).toBe('finalized')
  const { commit, updatedAt, snippets } = before ?? {}
  expect(await held()).toMatchObject({ format: generationFormat, commit, updatedAt, snippets, bundleBytes: expect.any(Number) })
  expect((await held())?.generation).not.toBe(before?.generation)
  expect(await ports.snippets.formatOf((await held())?.generation ?? '')).toBe(generationFormat)
  expect(await worker.ask('/local/docs', 'lever')).toContain('The lever turns.')
  expect((await worker.record('local/docs')).report).toMatchObject({ filesRead: 1 })
  await rebuild()
  expect(await ports.jobs.active()).toEqual([])
})

test('a rebuild that fails keeps the old content and is not tried again in the same format', async () => {
  const { ports } = worker
  const before = await held()
  const broken = { ...ports.snippets, read: () => ports.snippets.read('gone') }
  await rebuildOutdated({ ...ports, workers: 1 })()
  expect(await workLibrary({ ...ports, snippets: broken }, '/local/docs', never)).toBe('failed')
  expect(await held()).toEqual(before)
  expect(await worker.ask('/local/docs', 'lever')).toContain('turns.')
  await rebuildOutdated({ ...ports, workers: 1 })()
  expect(await ports.jobs.active()).toEqual([])
})

test('a refresh reads content in an old format again although its commit has not changed', async () => {
  const { ports } = worker
  const before = await held()
  expect(await workLibrary(ports, await worker.queue('local/docs'), never)).toBe('finalized')
  expect(await held()).toMatchObject({ format: generationFormat, commit: before?.commit })
  expect(await worker.ask('/local/docs', 'lever')).toContain('The lever turns.')
})

test('every free worker rebuilds a library in an old format', async () => {
  const { ports, git, queue } = worker
  for (const repo of ['local/a', 'local/b', 'local/c']) {
    await git.create(repo, { files: { 'README.md': page('Guide', 'The lever turns.') } })
    expect(await workLibrary(ports, await queue(repo), never)).toBe('finalized')
  }
  const newer = { ...ports, snippets: { ...ports.snippets, format: generationFormat + 1 } }
  const rebuild = rebuildOutdated({ ...newer, workers: 3 })
  await ports.jobs.enqueue({ key: '/x/busy', project: '/x/busy', request: { repoUrl: '', force: false, anonymous: true } })
  await rebuild()
  expect((await ports.jobs.active()).filter(({ request }) => request.rebuild)).toHaveLength(2)
  await rebuild()
  expect(await ports.jobs.active()).toHaveLength(3)
  for (const { key } of await ports.jobs.active()) {
    const job = await ports.jobs.claim(key, 'w')
    if (job) await ports.jobs.finish(job)
  }
  await rebuild()
  expect(await ports.jobs.active()).toHaveLength(3)
})
