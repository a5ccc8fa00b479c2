import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogSnapshot } from '../../../functions/catalog/catalog-snapshot.ts'
import { checkOptOuts, roundMs } from '../../../functions/jobs/check-opt-outs.ts'
import { folderObjects } from '../../../functions/objects/folder-objects.ts'
import { workLibrary } from '../../../functions/worker/work-library.ts'
import type { Misbehaviour } from '../../fixtures/git-server.ts'
import { type TestWorker, testWorker } from '../../fixtures/hosted-worker.ts'
import { page } from '../../fixtures/page.ts'

let worker: TestWorker
const never = new AbortController().signal
const work = (key: string) => workLibrary(worker.ports, key, never)
const readme = { 'README.md': page('Guide', 'The lever turns.') }
const line = (value: unknown) => JSON.stringify({ disallowIndexing: value })

beforeAll(async () => {
  worker = await testWorker()
})
afterAll(() => worker.close())

async function served(repo: string, files: Record<string, string> = {}): Promise<string> {
  await worker.git.create(repo, { files: { ...readme, ...files } })
  const key = await worker.queue(repo)
  expect(await work(key)).toBe('finalized')
  return key
}
const isThere = async (key: string) => (await worker.listed()).includes(key)

describe('a refresh', () => {
  test.each(['carrel.json', 'context7.json'])('removes a library whose %s disallows indexing', async (name) => {
    const repo = `wish/${name.replace('.', '-')}`
    const key = await served(repo)
    await worker.git.commit(repo, { files: { [name]: line(true) } })
    expect(await work(await worker.queue(repo))).toBe('removed')
    expect(await worker.ports.catalog.record({ owner: 'wish', repo: repo.slice(5) })).toBeUndefined()
    expect(await worker.ports.jobs.find(key)).toBeUndefined()
    expect(await isThere(key)).toBe(false)
  })

  test('serves a library again when the line is gone and somebody adds it', async () => {
    await worker.git.create('wish/back', { files: { ...readme, 'carrel.json': line(true) } })
    expect(await work(await worker.queue('wish/back'))).toBe('removed')
    await worker.git.commit('wish/back', { files: { 'carrel.json': line(false) } })
    expect(await work(await worker.queue('wish/back'))).toBe('finalized')
    expect(await worker.ask('/wish/back', 'lever')).toContain('The lever turns.')
  })

  test.each([
    ['false', { 'carrel.json': line(false) }],
    ['a text', { 'carrel.json': line('true') }],
    ['a line in the second file only', { 'carrel.json': '{}', 'context7.json': line(true) }],
    ['HTML', { 'carrel.json': '<html>"disallowIndexing": true</html>' }],
    ['a list', { 'carrel.json': '[true]' }],
    ['10 MB', { 'carrel.json': JSON.stringify({ disallowIndexing: true, x: 'x'.repeat(10_000_000) }) }],
  ])('keeps a library whose project file has %s', async (what, files) => {
    await served(`keep/${what.replaceAll(' ', '-').toLowerCase()}`, files)
  })

  test.each<[string, Misbehaviour]>([
    ['redirects to this machine', { kind: 'file', status: 302, headers: { location: 'http://127.0.0.1:1/carrel.json' } }],
    ['redirects to the metadata of a cloud', { kind: 'file', status: 301, headers: { location: 'http://169.254.169.254/' } }],
    [
      'shows a page for people',
      { kind: 'file', status: 200, headers: { 'content-type': 'text/html' }, body: '<html>true</html>' },
    ],
    ['fails', { kind: 'file', status: 500 }],
  ])('keeps a library whose host %s instead of the project file', async (what, how) => {
    const repo = `host/${what.replaceAll(' ', '-')}`
    await worker.git.create(repo, { files: readme })
    worker.git.misbehave(repo, how)
    expect(await work(await worker.queue(repo))).toBe('finalized')
  })

  test('ignores the line in another branch than the default one', async () => {
    await worker.git.create('wish/branch', { files: readme })
    await worker.git.commit('wish/branch', { branch: 'next', files: { 'carrel.json': line(true) } })
    expect(await work(await worker.queue('wish/branch', { branch: 'next' }))).toBe('finalized')
  })

  test('does not publish a library that was opted out while its job ran', async () => {
    const key = await served('wish/late')
    await worker.queue('wish/late')
    await worker.ports.optOuts.add(key, { library: '/wish/late', by: 'operator' })
    expect(await work(key)).toBe('removed')
    expect(await isThere(key)).toBe(false)
  })

  test('does not publish a library that was opted out by the longer id of its repository while its job ran', async () => {
    const key = await served('wish/longer')
    await worker.queue('wish/longer')
    await worker.ports.optOuts.add('/github/wish~longer', { library: '/github/wish~longer', by: 'operator' })
    expect(await work(key)).toBe('removed')
  })
})

describe('the check of all libraries', () => {
  const start = Date.parse('2030-01-01T00:00:00Z')

  /** Runs the check at a time after the start. Returns the repositories whose project files were requested. */
  async function checker() {
    const { ports, folder, git } = worker
    const objects = folderObjects(join(folder, 'objects'), async () => '')
    let nowMs = start
    const now = () => new Date(nowMs)
    const names = catalogSnapshot({ catalog: ports.catalog, objects, refreshMs: 0, now: ports.now, log: ports.log })
    const run = checkOptOuts({ ...ports, names, now })
    return async (atMs: number) => {
      nowMs = start + atMs
      const before = git.requests.length
      await run()
      const asked = git.requests.slice(before).flatMap(({ path }) => /^\/(.+?)\/raw\/HEAD\/carrel\.json$/.exec(path)?.[1] ?? [])
      return [...new Set(asked)].map((repo) => `/${repo}`)
    }
  }

  test('asks each public library once in twelve hours, spread over them, and goes on where it stopped', async () => {
    const keys = [await served('spread/a'), await served('spread/b'), await served('spread/c')]
    const all = (await worker.listed()).sort()
    const check = await checker()
    expect(await check(0)).toEqual([])
    const half = await check(roundMs / 2)
    expect(half).toHaveLength(Math.ceil(all.length / 2))
    expect(await check(roundMs / 2)).toEqual([])
    // Another process continues.
    const rest = await (await checker())(roundMs)
    expect([...half, ...rest].sort()).toEqual(all)
    expect(all).toEqual(expect.arrayContaining(keys))
    expect(await check(roundMs + 1)).toEqual([])
    expect(await check(roundMs * 2 + 1)).toHaveLength(all.length)
  })

  test('queues the removal of a library that nobody refreshes, although its commit has been indexed', async () => {
    await worker.git.create('quiet/lib', { files: { ...readme, 'carrel.json': line(true) } })
    worker.git.misbehave('quiet/lib', { kind: 'file', status: 404 })
    const key = await worker.queue('quiet/lib')
    expect(await work(key)).toBe('finalized')
    worker.git.misbehave('quiet/lib')
    const check = await checker()
    await check(roundMs * 10)
    await check(roundMs * 10)
    await check(roundMs * 11)
    // A job that is not forced would end without a worker.
    expect(await worker.ports.jobs.find(key)).toMatchObject({ request: { force: true } })
    expect(await work(key)).toBe('removed')
    expect(await isThere(key)).toBe(false)
  })
})
