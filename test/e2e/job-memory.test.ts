import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../shared/store/database.ts'
import { startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { prepareDir, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'

test('a job that needs more memory than the server has pauses after crashes, other jobs run, and a restart with more memory ends it', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  await git.create('kill/heavy', { files: { 'a.md': page('Guide', 'The lever turns.') } })
  await git.create('kill/light', { files: { 'a.md': page('Guide', 'The wheel stands.') } })
  const prepared = prepareDir(git.url)
  const start = (heapMb: number) => {
    const hook = new URL('../fixtures/need-memory.mjs', import.meta.url)
    return startServer(prepared, { NODE_OPTIONS: `--import ${hook} --max-old-space-size=${heapMb}` })
  }
  const parse = async (server: ServerProcess, repo: string) =>
    Number((await server.call('POST', '/api/parse', { repoUrl: `${git.url}/kill/${repo}` })).body.queueId)
  const ended = (server: ServerProcess, id: number) => until(async () => (await server.job(id)).finishedAt)

  let server = await start(300)
  const heavy = await parse(server, 'heavy')
  if (server.child.exitCode === null && server.child.signalCode === null) await once(server.child, 'exit')
  expect(server.child.exitCode).not.toBe(0)
  // The state after more crashes makes the pause last as long as this test.
  const db = openDatabase(prepared.dataDir)
  db.exec('UPDATE jobs SET interruptions = 11')
  db.close()
  server = await start(300)
  const light = await parse(server, 'light')
  await ended(server, light)
  expect((await server.job(light)).state).toBe('done')
  expect(await server.context('/kill/light', 'wheel')).toContain('The wheel stands.')
  const warnings = async () => (await server.call('GET', '/api/health')).body.warnings
  expect(await warnings()).toEqual([
    expect.stringMatching(
      /^Job \d+ of \/kill\/heavy: The server ended 12 times while this job ran, perhaps because the job needs more memory .* It runs again at 20/,
    ),
  ])
  expect(await server.job(heavy)).toMatchObject({
    state: 'queued',
    stage: expect.stringContaining('The server ended 12 times while this job ran'),
    nextAttemptAt: expect.any(String),
  })
  expect(await (await fetch(`${server.url}/api/health`)).json()).toMatchObject({
    warnings: ['The server ended repeatedly while it ran a job. Send a key to see which.'],
  })
  await server.kill()

  server = await start(2_000)
  await ended(server, heavy)
  expect((await server.job(heavy)).state).toBe('done')
  expect(await warnings()).toEqual([])
})
