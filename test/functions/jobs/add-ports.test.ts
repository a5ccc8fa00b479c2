import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { openStores } from '../../../functions/local/open-stores.ts'
import { createServer } from '../../../functions/server.ts'
import { startGitServer } from '../../fixtures/git-server.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
let key: string

beforeAll(async () => {
  hosted = await testHosted()
  key = (await hosted.keyOf('Acme')).key
  await hosted.git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever.\n' } })
  await hosted.git.create('acme/hidden', { files: { 'README.md': '# Hidden\n\nNothing.\n' }, private: '*:token' })
})
afterAll(() => hosted.close())

async function post(
  path: string,
  body: unknown,
  bearer: string | null = key,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await hosted.post(path, body, bearer === null ? {} : { authorization: `Bearer ${bearer}` })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const done = () =>
  vi.waitFor(async () => {
    expect(await hosted.run('progress', { library: '/acme/widgets' })).toMatchObject({ active: false, state: 'finalized' })
  }, 60_000)

const context = async (query: string) =>
  (await hosted.get(`/api/v2/context?${new URLSearchParams({ libraryId: '/acme/widgets', query })}`)).text()

test('a library is added and served, and a refresh updates it', async () => {
  const added = await post('/api/v2/add/repo/github', { docsRepoUrl: `${hosted.git.url}/acme/widgets` })
  expect(added).toMatchObject({ status: 200, body: { libraryName: '/acme/widgets' } })
  await done()
  expect(await context('turn the lever')).toContain('lever')
  await hosted.git.commit('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the crank.\n' } })
  expect((await post('/api/v1/refresh', { libraryName: '/acme/widgets' })).status).toBe(200)
  await done()
  expect(await context('turn the crank')).toContain('crank')
  const again = await post('/api/v2/add/repo/github', { docsRepoUrl: `${hosted.git.url}/acme/widgets` })
  expect(again).toMatchObject({ status: 409, body: { error: 'duplicate_repo' } })
})

test('another teamspace may refresh a library, but not change its branch', async () => {
  const { key: other } = await hosted.keyOf('Others')
  await hosted.run('own', { library: '/acme/widgets', teamspace: 'Acme' })
  const refused = await post('/api/v1/refresh', { libraryName: '/acme/widgets', branch: 'main' }, other)
  expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  expect((await post('/api/v1/refresh', { libraryName: '/acme/widgets' }, other)).status).toBe(200)
  await done()
  expect((await post('/api/v1/refresh', { libraryName: '/acme/widgets', branch: 'main' })).status).toBe(200)
  await done()
})

test.each([
  ['a developer', { role: 'developer', scope: 'admin' }, 200, 403],
  ['the scope read', { role: 'admin', scope: 'read' }, 403, 403],
  ['the scope read+add', { role: 'owner', scope: 'read+add' }, 200, 403],
  ['an admin', { role: 'admin', scope: 'admin' }, 200, 200],
] as const)(
  'a key of %s refreshes and changes the branch of a library of its teamspace as far as its rights go',
  async (_, rights, ...statuses) => {
    await hosted.run('own', { library: '/acme/widgets', teamspace: 'Acme' })
    const { teamspaces } = hosted.hosted
    const { id = '' } = (await teamspaces.find('Acme')) ?? {}
    const made = await teamspaces.createKey(id, { createdBy: 'test', ...rights })
    const answers = []
    for (const branch of [{}, { branch: 'main' }]) {
      answers.push((await post('/api/v1/refresh', { libraryName: '/acme/widgets', ...branch }, made.key)).status)
      await done()
    }
    expect(answers).toEqual(statuses)
    const added = await post('/api/v2/add/repo/github', { docsRepoUrl: `${hosted.git.url}/acme/widgets` }, made.key)
    expect(added.status).toBe(rights.scope === 'read' ? 403 : 409)
  },
)

test('a refresh of a library whose first parse failed reads the branch that it was added with', async () => {
  const id = { owner: 'acme', repo: 'branches' }
  await hosted.git.create('acme/branches', { files: { 'README.md': '# Main\n\nTurn the lever.\n' } })
  await hosted.git.commit('acme/branches', { files: { 'README.md': null, 'main.c': 'int main() {}' }, branch: 'next' })
  const docsRepoUrl = `${hosted.git.url}/acme/branches/tree/next`
  const ended = (state: string) =>
    vi.waitFor(async () => {
      expect(await hosted.run('progress', { library: '/acme/branches' })).toMatchObject({ active: false, state })
    }, 60_000)
  expect((await post('/api/v2/add/repo/github', { docsRepoUrl })).status).toBe(200)
  await ended('error')
  await hosted.git.commit('acme/branches', { files: { 'README.md': '# Next\n\nTurn the crank.\n' }, branch: 'next' })
  expect((await post('/api/v1/refresh', { libraryName: '/acme/branches' })).status).toBe(200)
  await ended('finalized')
  expect((await hosted.hosted.catalog.record(id))?.library).toMatchObject({ branch: 'next', title: 'Next' })
})

test('a branch with slashes and a folder in an address are read, also by a refresh after a first parse that failed', async () => {
  const id = { owner: 'acme', repo: 'slashes' }
  await hosted.git.create('acme/slashes', { files: { 'README.md': '# Main\n\nTurn the lever.\n' } })
  await hosted.git.commit('acme/slashes', { files: { 'README.md': null, 'v2/main.c': 'int main() {}' }, branch: 'feature/docs' })
  const docsRepoUrl = `${hosted.git.url}/acme/slashes/tree/feature/docs/v2?tab=readme`
  const ended = (state: string) =>
    vi.waitFor(async () => {
      expect(await hosted.run('progress', { library: '/acme/slashes' })).toMatchObject({ active: false, state })
    }, 60_000)
  expect((await post('/api/v2/add/repo/github', { docsRepoUrl })).status).toBe(200)
  await ended('error')
  await hosted.git.commit('acme/slashes', { files: { 'v2/use.md': '# Use\n\nTurn the crank.\n' }, branch: 'feature/docs' })
  expect((await post('/api/v1/refresh', { libraryName: '/acme/slashes' })).status).toBe(200)
  await ended('finalized')
  const record = await hosted.hosted.catalog.record(id)
  expect(record?.library).toMatchObject({ branch: 'feature/docs', totalSnippets: 1 })
  expect(record?.settings).toMatchObject({ branch: 'feature/docs', folders: ['v2'] })
})

test('a library that is private to others is reported like a missing repository, also if its repository has become public', async () => {
  await hosted.git.create('acme/own', { files: { 'README.md': '# Own\n\nTurn it.\n' } })
  await hosted.add('acme/own', { private: true, teamspace: 'Acme' })
  const { key: other } = await hosted.keyOf('Others')
  const unknown = await post('/api/v2/add/repo/github', { docsRepoUrl: `${hosted.git.url}/acme/none` }, other)
  const held = await post('/api/v2/add/repo/github', { docsRepoUrl: `${hosted.git.url}/acme/own` }, other)
  expect(held.status).toBe(404)
  expect(held.body).toEqual({ ...unknown.body, message: String(unknown.body.message).replace('acme/none', 'acme/own') })
})

test('a private repository needs an owner or admin, and a plan that allows it, and is read with the token of its teamspace', async () => {
  const docsRepoUrl = `${hosted.git.url}/acme/vault`
  await hosted.git.create('acme/vault', { files: { 'README.md': '# Vault\n\nTurn the dial.\n' }, private: '*:team-token' })
  await hosted.run('createTeamspace', { name: 'Free', plan: 'free' })
  const { key: free } = await hosted.keyOf('Free')
  const { teamspaces, gitTokens } = hosted.hosted
  const { id = '' } = (await teamspaces.find('Acme')) ?? {}
  const { key: developer } = await teamspaces.createKey(id, { createdBy: 'test', role: 'developer' })
  const add = (bearer: string) => post('/api/v2/add/repo/github', { docsRepoUrl, private: true }, bearer)
  expect(await add(developer)).toMatchObject({
    status: 403,
    body: { error: 'forbidden', message: 'Only owners and admins of a teamspace can add private repositories.' },
  })
  expect(await add(free)).toMatchObject({
    status: 403,
    body: { error: 'forbidden', message: 'Private repositories require a paid plan or a team plan.' },
  })
  await gitTokens.save(id, 'github', 'wrong-token')
  expect(await add(key)).toMatchObject({ status: 404, body: { error: 'not_found' } })
  await gitTokens.save(id, 'github', 'team-token')
  expect(await add(key)).toMatchObject({ status: 200, body: { libraryName: '/acme/vault' } })
  const ended = (state: string) =>
    vi.waitFor(async () => {
      expect(await hosted.run('progress', { library: '/acme/vault' })).toMatchObject({ active: false, state })
    }, 60_000)
  await ended('finalized')
  const ask = (bearer: string) =>
    hosted.get('/api/v2/context?libraryId=/acme/vault&query=turn+the+dial', { authorization: `Bearer ${bearer}` })
  expect([(await ask(developer)).status, (await ask(free)).status]).toEqual([200, 404])
  // Without the token the library is not read, not even with the token of the service.
  const { settings } = hosted.hosted as unknown as Pick<Awaited<ReturnType<typeof openStores>>, 'settings'>
  settings.change({ 'github.token': 'team-token' })
  await gitTokens.remove(id, 'github')
  await hosted.git.commit('acme/vault', { files: { 'README.md': '# Vault\n\nTurn the key.\n' } })
  await post('/api/v1/refresh', { libraryName: '/acme/vault' }, key)
  await ended('finalized')
  expect((await hosted.hosted.catalog.record({ owner: 'acme', repo: 'vault' }))?.lastError).toContain('github.token')
})

test('a public repository cannot be hidden from others as a private library', async () => {
  const { id = '' } = (await hosted.hosted.teamspaces.find('Acme')) ?? {}
  await hosted.git.create('acme/open', { files: { 'README.md': '# Open\n\nTurn it.\n' } })
  await hosted.hosted.gitTokens.save(id, 'github', 'any-token')
  const added = await post('/api/v2/add/repo/github', { docsRepoUrl: `${hosted.git.url}/acme/open`, private: true })
  expect(added).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  await hosted.hosted.gitTokens.remove(id, 'github')
})

test('a second refresh during the first is rejected with job_active', async () => {
  hosted.git.misbehave('acme/widgets', { kind: 'stall', at: 'pack' })
  await hosted.git.commit('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the wheel.\n' } })
  expect((await post('/api/v1/refresh', { libraryName: '/acme/widgets' })).status).toBe(200)
  expect((await post('/api/v1/refresh', { libraryName: '/acme/widgets' })).body.error).toBe('job_active')
  expect(await context('turn the crank')).toContain('crank')
})

test.each([
  ['a token', '/api/v1/refresh', { libraryName: '/acme/widgets', gitToken: 'x' }, undefined, 400, 'validation_error'],
  ['no key', '/api/v1/refresh', { libraryName: '/acme/widgets' }, null, 401, 'invalid_api_key'],
  ['no body', '/api/v1/refresh', undefined, undefined, 400, 'validation_error'],
  ['a library that is not here', '/api/v1/refresh', { libraryName: '/acme/none' }, undefined, 404, 'library_not_found'],
  ['no id', '/api/v1/refresh', { libraryName: 'acme' }, undefined, 400, 'invalid_library_id'],
  ['another host', '/api/v2/add/repo/github', { docsRepoUrl: 'https://example.com/a/b' }, undefined, 400, 'validation_error'],
  [
    'the path of another host',
    '/api/v2/add/repo/gitlab',
    { docsRepoUrl: 'URL/acme/gadgets' },
    undefined,
    400,
    'validation_error',
  ],
  ['a repository that is not public', '/api/v2/add/repo/github', { docsRepoUrl: 'URL/acme/hidden' }, undefined, 404, 'not_found'],
  ['one that does not exist', '/api/v2/add/repo/github', { docsRepoUrl: 'URL/acme/none' }, undefined, 404, 'not_found'],
  [
    'a private one without a token',
    '/api/v2/add/repo/github',
    { docsRepoUrl: 'URL/acme/hidden', private: true },
    undefined,
    409,
    'not_configured',
  ],
])('a request with %s is rejected', async (_what, path, body, bearer, status, error) => {
  const sent = JSON.parse(JSON.stringify(body ?? null).replaceAll('URL/', `${hosted.git.url}/`))
  const answer = await post(path, sent, bearer)
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error })
})

test('the same owner and name on another host gets the longer id, by which every library of the host can be called', async () => {
  const forge = await startGitServer()
  const files = { 'README.md': '# Gadgets\n\nPull the rope of the forge.\n' }
  for (const repo of ['acme/widgets', 'acme/gadgets']) await forge.create(repo, { files })
  const others = [{ name: 'forge', kind: 'gitea' as const, baseUrl: forge.url }]
  const app = createServer({ ...hosted.hosted, gitHosts: () => ({ ...hosted.hosted.gitHosts(), others }) })
  const send = async (repo: string) => {
    const body = JSON.stringify({ docsRepoUrl: `${forge.url}/${repo}` })
    const headers = { host: 'localhost', authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await app.request('http://localhost/api/v2/add/repo/git', { method: 'POST', headers, body })
    return (await answer.json()) as Record<string, unknown>
  }
  expect(await send('acme/widgets')).toMatchObject({ libraryName: '/forge/acme~widgets' })
  expect(await send('acme/widgets')).toMatchObject({ error: 'duplicate_repo', project: '/forge/acme~widgets' })
  expect(await send('acme/gadgets')).toMatchObject({ libraryName: '/acme/gadgets' })
  const asked = async (id: string) =>
    (await app.request(`http://localhost/api/v2/context?query=rope&libraryId=${id}`, { headers: { host: 'localhost' } })).text()
  // Nothing reads this host here, so both have no content, which only known libraries are said to have.
  expect(await asked('/forge/acme~gadgets')).toEqual(await asked('/acme/gadgets'))
  expect(await asked('/github/acme~gadgets')).not.toEqual(await asked('/acme/gadgets'))
  await forge.close()
})
