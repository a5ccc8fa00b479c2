import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall

beforeAll(async () => {
  install = await testInstall({
    limits: { probeMs: 700, retryPausesMs: [50], read: { workers: 2, timeMs: 20_000, heapMb: 64, threadBytes: 1e7 } },
  })
})
afterAll(() => install.close())

/** Its syntax tree needs some hundred megabytes. */
const hungry = 'some *words* `code` [link](x)\n\n'.repeat(150_000)

test('a file that exhausts the heap is skipped with its reason, and the rest of the library is served', async () => {
  await install.git.create('skips/one', { files: { 'README.md': page('Guide', 'The lever turns.'), 'hungry.md': hungry } })
  const job = await install.parse('skips/one')
  expect(job).toMatchObject({
    state: 'done',
    report: { filesRead: 1, skipped: [{ path: 'hungry.md', reason: 'it needs more than 64 MB of memory to parse' }] },
  })
})

describe('files that were being read at three crashes', () => {
  const repo = 'skips/suspects'
  const suspects = (id: number) => [...install.app.jobs.files(id, '').suspects()].sort()

  test('are read one at a time, and only a file that exceeds its limits alone is skipped', async () => {
    await install.git.create(repo, {
      files: {
        'README.md': page('Guide', 'The lever turns.'),
        'innocent.md': page('Innocent', 'The wheel stands.'),
        'hungry.md': hungry,
      },
    })
    install.git.misbehave(repo, { kind: 'stall', at: 'refs' })
    const id = await install.queue(repo)
    await install.says(id, 'Run 1')
    for (let crash = 0; crash < 3; crash++) {
      install.app.jobs.files(id, '').handedOut(['innocent.md', 'hungry.md', 'gone.md'])
      install.app.jobs.recover()
    }
    expect(suspects(id)).toEqual(['gone.md', 'hungry.md', 'innocent.md'])
    install.git.misbehave(repo)
    const job = await install.ended(id)
    expect(job.state).toBe('done')
    expect(job.report).toMatchObject({
      filesRead: 2,
      skipped: [{ path: 'hungry.md', reason: 'it needs more than 64 MB of memory to parse' }],
    })
    expect(await install.context('/skips/suspects', 'wheel')).toContain('The wheel stands.')
    expect(suspects(id)).toEqual(['hungry.md'])
  })

  test('stay suspect while they exceed their limits, until a parse reads them successfully', async () => {
    const broken = await install.parse(repo, { force: true })
    expect([broken.report?.skipped[0]?.path, suspects(broken.id)]).toEqual(['hungry.md', ['hungry.md']])
    await install.git.commit(repo, { files: { 'hungry.md': page('Fed', 'The spring is wound.') } })
    const mended = await install.refresh(repo)
    expect([mended.report?.skipped, suspects(mended.id)]).toEqual([[], []])
    expect(await install.context('/skips/suspects', 'spring')).toContain('The spring is wound.')
  })

  test('stay suspect when another file includes them, and are forgotten with their library', async () => {
    await install.git.commit(repo, { files: { 'README.md': `${page('Guide', 'The lever turns.')}\n\n--8<-- "./innocent.md"\n` } })
    const [path, { id }] = ['innocent.md', await install.refresh(repo)]
    for (let crash = 0; crash < 3; crash++) {
      install.app.jobs.files(id, '').handedOut([path])
      install.app.jobs.recover()
    }
    await install.parse(repo, { force: true })
    expect(suspects(id)).toEqual([path])
    await install.call('DELETE', `/api/projects/${repo}`)
    expect(suspects(id)).toEqual([])
  })
})
