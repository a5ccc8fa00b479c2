import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../shared/store/database.ts'
import { eventReader } from '../../fixtures/event-reader.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { answerOf, everyRoute, named, questions } from './questions.ts'

/** `holding` has a private library /a/b that `lacking` does not have; else they are the same. */
let holding: TestInstall
let lacking: TestInstall
let gitlab: GitServer

const open = {
  'permissions.anonymousParse': true,
  'permissions.anonymousRefresh': true,
  'permissions.anonymousDelete': true,
  'permissions.anonymousSupportBundle': true,
  'permissions.hidePrivate': true,
}
const files = { 'README.md': '# Words\n\nWords about widgets for those who may read them.\n' }
const limits = { retryPausesMs: [] }

beforeAll(async () => {
  gitlab = await startGitServer()
  await gitlab.create('a/b', { files })
  holding = await testInstall({ limits })
  lacking = await testInstall({ limits })
  for (const install of [holding, lacking]) {
    await install.git.create('acme/open', { files, tags: ['v1'] })
    await install.parse('acme/open', { versions: ['v1'] })
    install.app.settings.change({ ...open, 'github.token': 'sesame', 'gitlab.baseUrl': gitlab.url })
  }
  await holding.git.create('a/b', { files, tags: ['v1'], private: '*:sesame' })
  await holding.parse('a/b', { versions: ['v1'] })
  // The first search of text starts the index, which takes a moment in each of the two.
  for (const { app } of [holding, lacking]) {
    await app.textIndex.refresh()
    await app.textIndex.settled()
  }
})
afterAll(async () => {
  await holding.close()
  await lacking.close()
  await gitlab.close()
})
afterEach(() => {
  for (const { app } of [holding, lacking]) app.settings.change(open)
})

const isMissing = /"error":"(library_not_found|no_libraries_found)"|is not in this install|No library matches/

test.each([...questions, ...everyRoute].map(named))(
  'a request without a key, %s, gets the same response as if a private library were missing',
  async (_, asked) => {
    const [held, missing] = [await answerOf(holding, asked), await answerOf(lacking, asked)]
    expect(held).toEqual(missing)
    if (missing.status !== 200 || asked.path === '/mcp') {
      expect(missing.body).toEqual(
        isMissing.test(missing.body) ? expect.stringContaining('with a key of this install') : expect.any(String),
      )
    }
  },
)

test('a request with a key finds a private library everywhere, and no response mentions hidden ones', async () => {
  const { member: key } = holding.keys
  expect((await holding.ask('/api/v2/context?libraryId=/a/b&query=widgets', { key })).status).toBe(200)
  expect((await holding.json('/api/projects', { key })).body).toMatchObject({ total: 2 })
  expect((await holding.json('/api/projects/a/c', { key })).body).toEqual({
    error: 'library_not_found',
    message: '/a/c is not in this install.',
  })
})

test('an unknown key is named as the reason for a missing library', async () => {
  const headers = { authorization: 'Bearer ctx7sk-0123456789' }
  const [held, missing] = await Promise.all(
    [holding, lacking].map((install) => answerOf(install, { path: '/api/projects/a/b', headers })),
  )
  expect(held).toEqual(missing)
  expect(held?.body).toContain('because the key that you sent is unknown, expired or revoked in this install.')
})

test('a private library stays hidden during its first parse, and after a failed one', async () => {
  const ask = () => Promise.all(questions.map((asked) => answerOf(holding, asked)))
  const before = await Promise.all(questions.map((asked) => answerOf(lacking, asked)))
  await holding.call('DELETE', '/api/projects/a/b')
  holding.git.misbehave('a/b', { kind: 'stall', at: 'pack' })
  const id = await holding.queue('a/b')
  await expect.poll(() => holding.app.jobs.get(id)?.state).toBe('parsing')
  expect(await ask()).toEqual(before)
  await holding.call('POST', `/api/jobs/${id}/cancel`)
  holding.git.misbehave('a/b', { kind: 'status', status: 404 })
  await holding.parse('a/b')
  expect(holding.app.jobs.unserved.find('/a/b')?.state).toBe('error')
  expect(await ask()).toEqual(before)
  holding.git.misbehave('a/b')
  await holding.parse('a/b', { versions: ['v1'] })
  expect(holding.app.catalog.find({ owner: 'a', repo: 'b' })).toMatchObject({ private: true, versions: ['v1'] })
})

test('a public repository with the id of a hidden library is rejected like one that is not public', async () => {
  const parse = (install: TestInstall, repoUrl: string) =>
    answerOf(install, { method: 'POST', path: '/api/parse', body: JSON.stringify({ repoUrl }) })
  const { status, body } = await parse(holding, `${gitlab.url}/a/b`)
  expect([status, body]).toEqual([401, (await parse(holding, `${gitlab.url}/a/x`)).body.replaceAll('/a/x', '/a/b')])
  expect(holding.app.jobs.active()).toEqual([])
})

test('a job that waits for a hidden job is shown as the next', async () => {
  holding.git.misbehave('a/b', { kind: 'stall', at: 'refs' })
  const hidden = await holding.queue('a/b', { force: true })
  await expect.poll(() => holding.app.jobs.get(hidden)?.state).toBe('parsing')
  const { body } = await holding.json('/api/projects/acme/open/refresh', { method: 'POST' })
  expect(body).toMatchObject({ project: '/acme/open', position: null })
  expect((await holding.json('/api/parse-status')).body).toEqual({
    activeParses: { '/acme/open': expect.objectContaining({ position: 0, statusMessage: 'Waiting to start' }) },
  })
  await holding.call('POST', `/api/jobs/${hidden}/cancel`)
  holding.git.misbehave('a/b')
  await holding.ended(Number((body as { queueId: number }).queueId))
})

test('events do not mention a hidden library, from its first job to its end', async () => {
  const nobody = await eventReader(holding)
  const member = await eventReader(holding, { key: holding.keys.member })
  await holding.call('DELETE', '/api/projects/a/b')
  await member.sees('library', { id: '/a/b', state: 'deleted' })
  const { id } = await holding.parse('a/b', { versions: ['v1'] })
  await member.sees('library', { id: '/a/b', state: 'finalized' })
  holding.git.misbehave('a/b', { kind: 'stall', at: 'refs' })
  const cancelled = await holding.queue('a/b', { force: true })
  await holding.call('POST', `/api/jobs/${cancelled}/cancel`)
  await member.sees('job', { id: cancelled, state: 'cancelled' })
  holding.git.misbehave('a/b')
  const open = await holding.refresh('acme/open')
  await nobody.sees('job', { id: open.id, state: 'done' })
  expect((await holding.json('/api/projects/acme/open', { method: 'DELETE' })).status).toBe(200)
  await nobody.sees('library', { id: '/acme/open', state: 'deleted' })
  expect(
    nobody.events.filter(({ data }) => data.id === id || data.id === cancelled || JSON.stringify(data).includes('a/b')),
  ).toEqual([])
  nobody.close()
  member.close()
})

test('clients of /mcp learn that they need a key, and the support bundle requires one', async () => {
  expect((await holding.json('/api/auth/mcp')).body).toEqual({ enabled: true })
  expect((await holding.ask('/api/support-bundle')).status).toBe(401)
  holding.app.settings.change({ 'permissions.hidePrivate': null })
  expect((await holding.json('/api/auth/mcp')).body).toEqual({ enabled: false })
  expect((await holding.json('/api/projects')).body).toMatchObject({ projects: [{ id: '/a/b', private: true }] })
})

test('the health response counts no interrupted job of a hidden library', async () => {
  const health = async () => JSON.stringify((await holding.json('/api/health')).body)
  await holding.git.create('a/paused', { files, private: '*:sesame' })
  holding.git.misbehave('a/paused', { kind: 'stall', at: 'refs' })
  const id = await holding.queue('a/paused')
  await expect.poll(() => holding.app.jobs.get(id)?.state).toBe('parsing')
  const db = openDatabase(holding.dataDir)
  db.prepare('UPDATE jobs SET interruptions = 9 WHERE id = ?').run(id)
  db.close()
  expect(holding.app.jobs.interrupted().map(({ project }) => project)).toEqual(['/a/paused'])
  expect(await health()).not.toMatch(/ended repeatedly/)
  holding.app.settings.change({ 'permissions.hidePrivate': null })
  expect(await health()).toMatch(/ended repeatedly/)
  await holding.call('POST', `/api/jobs/${id}/cancel`)
})
