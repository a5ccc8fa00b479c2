import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { prepareDir, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

/** Patterns that almost match each of the folders below, so that each match takes as long as possible. */
const slowPatterns = Array.from({ length: 200 }, (_, n) => `${'**/a/'.repeat(15)}${n}b`)
const deepFolder = (n: number) => `${'a/'.repeat(300)}${n}`
const slowFiles = (folders: number) =>
  Object.fromEntries([
    ['carrel.json', JSON.stringify({ excludeFolders: slowPatterns })],
    ['README.md', page('Guide', 'The lever turns.')],
    ...Array.from({ length: folders }, (_, n) => [`${deepFolder(n)}/a.md`, '# A']),
  ])

test('a project file with slow patterns delays no request, cancel or shutdown', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  await git.create('slow/patterns', { files: slowFiles(1_500) })
  await git.create('quick/library', { files: { 'README.md': page('Guide', 'The wheel stands.') } })
  const dir = prepareDir(git.url)
  const server = await startServer(dir)
  const parse = async (repo: string, on: ServerProcess) => {
    const { body } = await on.call('POST', '/api/parse', { repoUrl: `${git.url}/${repo}` })
    return Number(body.queueId)
  }
  const fetched = (id: number, on: ServerProcess) =>
    until(async () => (await on.job(id)).log.some(({ line }) => line.startsWith('Fetched')))

  const first = await parse('slow/patterns', server)
  await fetched(first, server)
  for (let n = 0; n < 50; n++) expect((await server.call('GET', '/api/health')).status).toBe(200)
  expect((await server.job(first)).state).toBe('parsing')
  expect((await server.call('POST', `/api/jobs/${first}/cancel`)).status).toBe(202)
  expect((await server.job(first)).state).toBe('cancelled')

  const quick = await parse('quick/library', server)
  await until(async () => (await server.job(quick)).finishedAt !== null)
  expect((await server.job(quick)).state).toBe('done')

  const second = await parse('slow/patterns', server)
  await fetched(second, server)
  expect(await server.end()).toBe(0)

  const again = await startServer(dir)
  await fetched(second, again)
  expect(await again.context('/quick/library', 'wheel')).toContain('The wheel stands.')
  again.child.kill('SIGTERM')
  await once(again.child, 'exit')
})

test('a file listing that takes too long fails its job with a reason, and the next library is parsed', async () => {
  const install = await testInstall({ limits: { list: { timeMs: 1_000, heapMb: 256 } } })
  onTestFinished(() => install.close())
  await install.git.create('slow/patterns', { files: slowFiles(1_500) })
  await install.git.create('quick/library', { files: { 'README.md': page('Guide', 'The wheel stands.') } })

  const slow = await install.parse('slow/patterns')
  expect(slow.state).toBe('failed')
  expect(slow.error).toContain('Listing the files of the repository took longer than 1 s. Use fewer or shorter patterns')
  expect((await install.parse('quick/library')).state).toBe('done')
})

test.each(['folders', 'excludeFolders', 'excludeFiles'])(
  'a parse request with more wildcards in %s than allowed is rejected',
  async (field) => {
    const install = await testInstall()
    onTestFinished(() => install.close())
    const repoUrl = `${install.git.url}/any/library`
    const { status, body } = await install.call('POST', '/api/parse', { repoUrl, [field]: [`${'*a?'.repeat(9)}b`] })
    expect(status).toBe(400)
    expect(body.message).toContain('must not have more than 16 wildcards')
  },
)
