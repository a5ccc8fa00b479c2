import { expect, onTestFinished, test } from 'vitest'
import { page } from '../../fixtures/page.ts'
import { testInstall } from '../../fixtures/test-install.ts'

/** No reader gets this done in the time that this test gives it. */
const slow = `${'<div>'.repeat(100_000)}text`

test('a version with slow files does not reduce the time of the next version', async () => {
  const install = await testInstall({ limits: { read: { workers: 4, timeMs: 1_000, heapMb: 512, threadBytes: 1e7 } } })
  onTestFinished(() => install.close())
  const slowFiles = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`${n}.html`, slow]))
  await install.git.create('slow/files', { files: { 'README.md': page('Guide', 'The lever turns.') } })
  await install.git.commit('slow/files', { files: { 'README.md': null, ...slowFiles }, branch: 'many' })
  await install.git.commit('slow/files', { files: { 'README.md': null, '0.html': slow }, branch: 'one' })
  const job = await install.parse('slow/files', { versions: ['many', 'one'] })

  expect([job.state, job.report?.filesRead]).toEqual(['done', 1])
  const reason = (files: string) =>
    expect.stringContaining(`${files} had to be skipped, the first ("0.html") because it took longer than 1 s to parse.`)
  const slowFile = (path: string) => ({ path, reason: 'it took longer than 1 s to parse' })
  expect(job.report?.skipped).toEqual([
    { path: '@many', reason: reason('10 files') },
    ...Array.from({ length: 10 }, (_, n) => slowFile(`@many/${n}.html`)),
    { path: '@one', reason: reason('1 file') },
    slowFile('@one/0.html'),
  ])
})
