import { expect, onTestFinished, test } from 'vitest'
import { prepareDir, startServer } from '../../fixtures/server-process.ts'
import { testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

/** Different words, of which analysing one page takes many seconds. */
const words = (from: number, count: number) => Array.from({ length: count }, (_, n) => `w${from + n}`).join(' ')
const info = (path: string, content: string) => ({ id: `https://example.com/${path}`, path, content })
const library = {
  project: '/slow/page',
  codeSnippets: [],
  infoSnippets: [
    info('docs/a.md', 'The lever turns.'),
    ...Array.from({ length: 8 }, (_, n) => info('docs/slow.md', words(n * 100_000, 100_000))),
    info('docs/z.md', 'The pulley lifts.'),
  ],
}

async function started(timeMs: number) {
  const install = await testInstall({ limits: { read: { workers: 1, timeMs, heapMb: 512, threadBytes: 1e6 } } })
  onTestFinished(() => install.close())
  await install.call('POST', '/api/import-libraries', { libraries: [library] })
  return { install, id: Number(install.app.jobs.list(1, 1).jobs[0]?.id) }
}

test('a page that exceeds the time limit is listed in the report, and the others are served', async () => {
  const { install, id } = await started(3_000)
  const skipped = [{ path: 'docs/slow.md', reason: 'it took longer than 3 s to parse' }]
  expect(await install.ended(id)).toMatchObject({
    state: 'done',
    report: { snippetsAfter: 2, skipped, versions: [{ skipped: 1 }] },
  })
  expect(await install.context('/slow/page', 'pulley')).toContain('The pulley lifts.')
})

test('a cancel ends a job whose page is being analysed', async () => {
  const { install, id } = await started(600_000)
  await until(() => install.app.jobs.active()[0]?.statusMessage === 'Importing snippets')
  expect((await install.call('POST', `/api/jobs/${id}/cancel`)).body.state).toBe('cancelled')
  expect(install.app.jobs.get(id)).toMatchObject({ filesDone: 0 })
})

test('a server that analyses a page stops on SIGTERM, and the import continues after a restart', async () => {
  const prepared = prepareDir('http://127.0.0.1:1')
  const first = await startServer(prepared)
  await first.call('POST', '/api/import-libraries', { libraries: [library] })
  await until(async () => (await first.job(1)).filesTotal > 0)
  expect(await first.end()).toBe(0)
  const second = await startServer(prepared)
  expect((await second.job(1)).state).toMatch(/queued|parsing/)
  await until(async () => (await second.job(1)).filesTotal > 0)
  expect((await second.call('POST', '/api/jobs/1/cancel')).body.state).toBe('cancelled')
  expect(await second.end()).toBe(0)
})
