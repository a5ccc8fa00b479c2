import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { type PeculiarServer, startPeculiar } from '../../fixtures/providers/peculiar.ts'
import { runCarrel, startCarrel } from '../../fixtures/run-carrel.ts'
import { prepareDir } from '../../fixtures/server-process.ts'
import { until } from '../../fixtures/until.ts'

let git: GitServer
let provider: PeculiarServer
let dataDir: string
beforeAll(async () => {
  git = await startGitServer()
  await git.create('acme/lever', { files: { 'README.md': '# Lever\n\nThe lever turns.\n' } })
  await git.create('acme/wheel', { files: { 'README.md': '# Wheel\n\nThe wheel turns.\n' } })
})
afterAll(() => git.close())
beforeEach(async () => {
  provider = await startPeculiar()
  onTestFinished(() => provider.close())
  const settings = { 'embedding.provider': 'custom', 'embedding.baseUrl': provider.url, 'embedding.model': 'm' }
  dataDir = prepareDir(git.url, undefined, settings).dataDir
})

const carrel = (...words: string[]) => runCarrel(words, { dataDir })
const byWords =
  '/acme/lever is found by its words until its vectors are made: start the server, or run: npm run -s carrel -- jobs 2 --wait\n'

test('add makes the vectors of a library itself if no server runs', async () => {
  expect(await carrel('add', 'acme/lever')).toMatchObject({ code: 0, out: expect.stringContaining('/acme/lever: 1 snippet') })
  expect((await carrel('jobs')).out).toMatch(/^2\t\/acme\/lever\treindex\tdone\t/)
})

test('add without a server says why it makes no vectors and how to make them, and the library is added', async () => {
  provider.is.always = 401
  const { code, out, err } = await carrel('add', 'acme/lever')
  expect([code, out]).toEqual([0, expect.stringContaining('/acme/lever: 1 snippet')])
  expect(err).toContain(`Check embedding.apiKey. ${byWords}`)
  expect((await carrel('ask', 'acme/lever', 'what turns')).out).toContain('The lever turns.')
  // The wait of another library holds nobody up here.
  provider.is.always = undefined
  expect((await carrel('add', 'acme/wheel')).err).not.toContain('by its words')
  expect((await carrel('jobs', '2', '--wait')).code).toBe(0)
})

test('Ctrl-C while vectors are made keeps the library, and says how to continue', async () => {
  provider.is.delayMs = 60_000
  const child = startCarrel(['add', 'acme/lever'], { dataDir })
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  await until(() => provider.requests.length > 0)
  child.kill('SIGINT')
  const [[code], out, err] = await ended
  expect([code, out]).toEqual([130, expect.stringContaining('/acme/lever: 1 snippet')])
  expect(err).toContain(`carrel: Stopped. ${byWords}`)
  provider.is.delayMs = 0
  expect((await carrel('jobs', '2', '--wait')).code).toBe(0)
})
