import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCorpus } from '../bench/corpus.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'

let git: GitServer

beforeAll(async () => {
  git = await startGitServer()
})
afterAll(() => git.close())

test('a library of 900 files is parsed in 400 MB of memory while the server handles requests', async () => {
  await git.create('large/library', { files: Object.fromEntries(makeCorpus({ files: 900, bytesPerFile: 5500, seed: 7 })) })
  const server = await startServer(prepareDir(git.url))
  const { body } = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/large/library` })
  let served = 0
  while ((await server.job(Number(body.queueId))).finishedAt === null) {
    expect((await server.call('GET', '/api/health')).status).toBe(200)
    served += 1
  }
  const { state, report } = await server.job(Number(body.queueId))
  expect([state, report?.filesRead, report?.skipped]).toEqual(['done', 900, []])
  expect(served).toBeGreaterThan(20)
  expect(server.peakMb()).toBeLessThan(400)
})
