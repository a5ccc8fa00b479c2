import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'

let git: GitServer

beforeAll(async () => {
  git = await startGitServer()
})
afterAll(() => git.close())

test('a file name designed to stall regular expressions is parsed, and questions about its page are served promptly', async () => {
  const path = `docs/1.0${'_a'.repeat(60)}!.md`
  await git.create('acme/paths', { files: { [path]: '# Painting\n\nCall paintWidget with the name of a colour.\n' } })
  const server = await startServer(prepareDir(git.url))
  const { body } = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/acme/paths` })
  await expect.poll(async () => (await server.job(Number(body.queueId))).state).toBe('done')

  const signal = AbortSignal.timeout(60_000)
  const query = new URLSearchParams({ libraryId: '/acme/paths', query: 'paintWidget colour' })
  const question = fetch(`${server.url}/api/v2/context?${query}`, { signal })
  const health = fetch(`${server.url}/api/health`, { signal })
  expect((await health).status).toBe(200)
  expect(await (await question).text()).toContain('Call paintWidget')
})
