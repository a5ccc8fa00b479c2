import { afterAll, beforeAll, expect, test } from 'vitest'
import { page, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall

beforeAll(async () => {
  install = await testInstall({
    limits: { probeMs: 700, retryPausesMs: [50], split: { workers: 2, timeMs: 20_000, heapMb: 64 } },
  })
})
afterAll(() => install.close())

/** Its syntax tree needs some hundred megabytes. */
const hungry = 'some *words* `code` [link](x)\n\n'.repeat(150_000)

test('a file that exhausts its heap is skipped with its reason, and the rest of the library is there', async () => {
  await install.git.create('skips/one', { files: { 'README.md': page('Guide', 'The lever turns.'), 'hungry.md': hungry } })
  const job = await install.parse('skips/one')
  expect(job).toMatchObject({
    state: 'done',
    report: { filesRead: 1, skipped: [{ path: 'hungry.md', reason: 'it needs more than 64 MB of memory to parse' }] },
  })
})

test('after three crashes only what was being read each time is read alone, and only what breaks its limits alone is skipped', async () => {
  await install.git.create('skips/suspects', {
    files: {
      'README.md': page('Guide', 'The lever turns.'),
      'innocent.md': page('Innocent', 'The wheel stands.'),
      'hungry.md': hungry,
    },
  })
  install.git.misbehave('skips/suspects', { kind: 'stall', at: 'refs' })
  const id = await install.queue('skips/suspects')
  await install.says(id, 'Run 1')
  for (let crash = 0; crash < 3; crash++) {
    install.app.jobs.handedOut(id, ['innocent.md', 'hungry.md'])
    install.app.jobs.recover()
  }
  install.git.misbehave('skips/suspects')
  const job = await install.ended(id)
  expect(job.state).toBe('done')
  expect(job.report).toMatchObject({
    filesRead: 2,
    skipped: [{ path: 'hungry.md', reason: 'it needs more than 64 MB of memory to parse' }],
  })
  expect(await install.context('/skips/suspects', 'wheel')).toContain('The wheel stands.')
})
