import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { maxAnswerAgeMs } from '../../../onprem/access/reader.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
let gitlab: GitServer
let time = Date.parse('2030-01-01')
const minute = 60_000
const keys: Record<string, string> = {}

const files = { 'README.md': '# Words\n\nWords about widgets.\n' }
/** The answers that docs.github.com/rest/collaborators and docs.gitlab.com/api/members show in November 2026, not recorded. */
const github = (...logins: string[]) =>
  logins.map((login, n) => ({ login, id: n, role_name: 'read', permissions: { pull: true } }))
const member = (username: string, access_level: number, state = 'active') => ({ id: 1, username, state, access_level })

beforeAll(async () => {
  gitlab = await startGitServer()
  app = await testInstall({ now: () => new Date(time) })
  app.app.settings.change({ 'gitlab.baseUrl': gitlab.url, 'github.token': 'sesame', 'gitlab.token': 'sesame' })
  for (const name of ['mia', 'otto', 'nia']) {
    const userId = app.app.users.create({ username: name, role: 'member', hash: 'x' })
    keys[name] = app.app.keys.create({ name, role: 'member', userId }).key
  }
  const id = (name: string) => app.app.users.list().find(({ username }) => username === name)?.id ?? ''
  await app.call('PATCH', `/api/users/${id('mia')}`, { hostAccounts: { github: 'Octocat', gitlab: 'mia' } })
  await app.call('PATCH', `/api/users/${id('otto')}`, { hostAccounts: { github: 'otto', gitlab: 'otto' } })
  for (const [git, repo] of [
    [app.git, 'acme/secret'],
    [app.git, 'acme/open'],
    [gitlab, 'group/secret'],
    [gitlab, 'group/shared'],
  ] as const)
    await git.create(repo, { files, ...(!repo.endsWith('open') && { private: '*:sesame' }) })
  for (const repo of ['acme/secret', 'acme/open']) await app.parse(repo)
  for (const repo of ['group/secret', 'group/shared']) await app.parse(`${gitlab.url}/${repo}`)
  await app.call('PUT', '/api/library-rules', { pattern: '/*/*', access: 'host' })
  app.git.describe('acme/open', { id: 1, private: false, visibility: 'public' })
  app.git.describe('acme/secret', { id: 2, private: true, visibility: 'private' })
  app.git.describe('acme/secret/collaborators', github('octocat', 'someone'))
  gitlab.describe('group/secret', { id: 3, visibility: 'private' })
  gitlab.describe('group/secret/members/all', [member('mia', 20), member('otto', 10), member('nia', 50)])
  gitlab.describe('group/shared', { id: 4, visibility: 'internal' })
})
afterAll(async () => {
  await app.close()
  await gitlab.close()
})
beforeEach(() => {
  time += 30 * minute
})

const ask = () => app.app.readersLoop.askIfDue()
const seen = async (who?: string) =>
  (
    (await app.json('/api/projects', who === undefined ? {} : { key: who === 'admin' ? app.keys.admin : (keys[who] ?? '') }))
      .body as {
      projects: { id: string }[]
    }
  ).projects.map(({ id }) => id)

test('nobody but admins sees a library before its host has answered', async () => {
  expect(await seen('mia')).toEqual([])
  expect((await seen('admin')).length).toBe(4)
})

test('people see the libraries whose repositories their host lets them read', async () => {
  await ask()
  expect(await seen('mia')).toEqual(['/acme/open', '/acme/secret', '/group/secret', '/group/shared'])
  expect(await seen('otto')).toEqual(['/acme/open', '/group/shared'])
  expect(await seen('nia')).toEqual(['/acme/open'])
  expect(await seen()).toEqual(['/acme/open'])
})

test('the host is asked again only after the minutes of the setting, with the stored token', async () => {
  await ask()
  const before = app.git.apiRequests.length
  time += 14 * minute
  await ask()
  expect(app.git.apiRequests.length).toBe(before)
  time += minute
  await ask()
  const asked = app.git.apiRequests.slice(before)
  expect(asked.map(({ path }) => path).sort()).toEqual([
    '/api/v3/repos/acme/open',
    '/api/v3/repos/acme/secret',
    '/api/v3/repos/acme/secret/collaborators',
  ])
  expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer sesame']))
})

test('somebody who loses the repository at the host loses the library with the next answer', async () => {
  app.git.describe('acme/secret/collaborators', github('otto'))
  await ask()
  expect(await seen('mia')).not.toContain('/acme/secret')
  expect(await seen('otto')).toContain('/acme/secret')
  gitlab.describe('group/secret/members/all', [member('mia', 20, 'blocked')])
  time += 30 * minute
  await ask()
  expect(await seen('mia')).not.toContain('/group/secret')
})

test('the last good answer counts for a bounded time while the host does not answer', async () => {
  app.git.describe('acme/secret', { message: 'Not Found' })
  await ask()
  expect(await seen('otto')).toContain('/acme/secret')
  expect(app.log.text()).toContain('it is not known who may read a library')
  time += maxAnswerAgeMs
  await ask()
  expect(await seen('otto')).not.toContain('/acme/secret')
  app.git.describe('acme/secret', { id: 2, private: true })
  time += 30 * minute
  await ask()
  expect(await seen('otto')).toContain('/acme/secret')
})

test('a list of collaborators over several pages is read to its end', async () => {
  app.git.describe('acme/secret/collaborators', github(...Array.from({ length: 250 }, (_, n) => `user-${n}`)))
  await ask()
  expect(app.app.hostReaders.of('/acme/secret')?.readers).toHaveLength(250)
})

test('a member cannot add a library that only its host would show', async () => {
  const body = { repoUrl: `${app.git.url}/acme/new` }
  expect((await app.json('/api/parse', { method: 'POST', key: keys.mia ?? '', body })).status).toBe(403)
})

test('a host that answers something else, too much or nothing closes the library and is not fatal', async () => {
  for (const answer of [{ id: 2 }, { private: 'yes' }, { private: true, id: 2, x: 'x'.repeat(5 * 2 ** 20) }]) {
    app.git.describe('acme/secret', answer)
    time += maxAnswerAgeMs
    await ask()
    expect(await seen('otto')).not.toContain('/acme/secret')
  }
})
