import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LibraryRule } from '../../../onprem/accounts/library-rules.ts'
import { eventReader } from '../../fixtures/event-reader.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { type Asked, answerOf, everyRoute, named, questions } from './questions.ts'

/** `holding` has a library /a/b that `lacking` does not have; else they are the same. */
let holding: TestInstall
let lacking: TestInstall

const files = { 'README.md': '# Words\n\nWords about widgets for those who may read them.\n' }
const password = 'a long password'

/** A caller, with the rule that hides /a/b from them. */
type Stranger = { rule?: Omit<LibraryRule, 'pattern'>; headers(install: TestInstall): Promise<Record<string, string>> }

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const forTeam: Stranger['rule'] = { access: 'restricted', groups: ['team'], users: [] }
const keyOf = (install: TestInstall, username: string, limits: object = {}): string => {
  const userId = install.app.users.list().find((user) => user.username === username)?.id ?? null
  return install.app.keys.create({ name: 'test', role: 'member', userId, ...limits }).key
}

const strangers: Record<string, Stranger> = {
  'without a key, of an internal library': {
    rule: { access: 'internal', groups: [], users: [] },
    headers: async () => ({}),
  },
  'without a key, of a restricted library': { rule: forTeam, headers: async () => ({}) },
  'signed in as a member of no group': {
    rule: forTeam,
    headers: async (install) => ({ cookie: await signIn(install, { username: 'otto', password }), origin: install.url }),
  },
  'with the key of a member of no group': {
    rule: forTeam,
    headers: async (install) => bearer(keyOf(install, 'otto')),
  },
  'with a key of the install': {
    rule: forTeam,
    headers: async (install) => bearer(install.keys.member),
  },
  'with the key of a member of the group, for other libraries': {
    rule: forTeam,
    headers: async (install) => bearer(keyOf(install, 'mia', { libraries: ['/acme/*'] })),
  },
  'with the key of an admin, for other libraries': {
    headers: async (install) => bearer(keyOf(install, 'admin', { role: 'admin', libraries: ['/acme/*'], scope: 'read' })),
  },
}

beforeAll(async () => {
  holding = await testInstall({ limits: { retryPausesMs: [] } })
  lacking = await testInstall({ limits: { retryPausesMs: [] } })
  for (const { app, git, parse } of [holding, lacking]) {
    const hash = await app.passwords.hash(password)
    app.groups.create('team')
    const mia = app.users.create({ username: 'mia', role: 'member', hash })
    app.users.create({ username: 'otto', role: 'member', hash })
    app.groups.setMembers('team', [mia])
    await git.create('acme/open', { files, tags: ['v1'] })
    await parse('acme/open', { versions: ['v1'] })
  }
  await holding.git.create('a/b', { files, tags: ['v1'] })
  await holding.parse('a/b', { versions: ['v1'] })
  for (const { app } of [holding, lacking]) {
    await app.textIndex.refresh()
    await app.textIndex.settled()
  }
})
afterAll(async () => {
  await holding.close()
  await lacking.close()
})

const setRule = (rule: Stranger['rule']): void => {
  for (const { app } of [holding, lacking]) {
    for (const { pattern } of app.libraryRules.current().list) app.libraryRules.remove(pattern)
    if (rule) app.libraryRules.set({ pattern: '/a/*', ...rule })
  }
}

/** Job 2 is that of /a/b. */
const ofHolders: Asked[] = [
  { path: '/api/usage?libraryId=/a/b' },
  { path: '/api/usage/daily?libraryIds=/a/b,/a/c' },
  { path: '/api/v2/libs/metrics?libraryId=/a/b@v1' },
  { path: '/api/jobs?project=/a/b' },
  { path: '/api/jobs?q=a/b&sort=queue' },
  { path: '/api/jobs/2' },
  { path: '/api/jobs/2/log' },
  { method: 'POST', path: '/api/jobs/2/cancel' },
  { method: 'POST', path: '/api/jobs/2/retry' },
  { method: 'PATCH', path: '/api/projects/a/b/tags', body: '{"add": ["web"]}' },
  { method: 'POST', path: '/api/parse/recognize', body: '{"text": "github.com/a/b"}' },
  { method: 'POST', path: '/api/v2/feedback', body: '{"libraryId": "/a/b", "helpful": true}' },
]

/** Those that change nothing, or the same in both. */
const harmless = ({ method, path }: Asked): boolean =>
  !(path.startsWith('/api/keys') || path.includes('sign-out') || method === 'PUT')

for (const [who, { rule, headers }] of Object.entries(strangers)) {
  test.each([...questions, ...ofHolders, ...everyRoute].filter(harmless).map(named))(
    `a request ${who}: %s gets the same response as if the library were missing`,
    async (_, asked) => {
      setRule(rule)
      const [held, missing] = await Promise.all(
        [holding, lacking].map(async (install) =>
          answerOf(install, { ...asked, headers: { ...(await headersOf(install, who, headers)), ...asked.headers } }),
        ),
      )
      expect(held).toEqual(missing)
    },
  )
}

const known = new Map<string, Promise<Record<string, string>>>()
function headersOf(install: TestInstall, who: string, headers: Stranger['headers']): Promise<Record<string, string>> {
  const name = `${install.url} ${who}`
  const sent = known.get(name) ?? headers(install)
  known.set(name, sent)
  return sent
}

test('members of the group, named users and admins find a restricted library', async () => {
  const ask = async (key: string) => (await holding.json('/api/projects/a/b', { key })).status
  setRule({ access: 'restricted', groups: ['team'], users: [] })
  expect(await ask(keyOf(holding, 'mia'))).toBe(200)
  expect(await ask(keyOf(holding, 'otto'))).toBe(404)
  expect(await ask(holding.keys.admin)).toBe(200)
  expect(await ask(keyOf(holding, 'admin', { role: 'admin', scope: 'read' }))).toBe(200)
  const otto = holding.app.users.list().find(({ username }) => username === 'otto')?.id ?? ''
  setRule({ access: 'restricted', groups: [], users: [otto] })
  expect(await ask(keyOf(holding, 'otto'))).toBe(200)
  expect(await ask(keyOf(holding, 'mia'))).toBe(404)
})

test('an internal library is found with any key, and by nobody without one, whatever the switches say', async () => {
  setRule({ access: 'internal', groups: [], users: [] })
  holding.app.settings.change({ 'permissions.hidePrivate': false })
  expect((await holding.json('/api/projects/a/b', { key: holding.keys.member })).status).toBe(200)
  expect((await holding.json('/api/projects/a/b')).status).toBe(404)
  expect((await holding.json('/api/auth/mcp')).body).toEqual({ enabled: true })
})

test('an open stream of events no longer mentions a library when its reader loses it', async () => {
  setRule({ access: 'restricted', groups: ['team'], users: [] })
  const mia = await eventReader(holding, { key: keyOf(holding, 'mia') })
  const { id } = await holding.refresh('a/b')
  await mia.sees('job', { id, state: 'done' })
  holding.app.groups.setMembers('team', [])
  const before = mia.events.length
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  await holding.refresh('a/b')
  const open = await holding.refresh('acme/open')
  await mia.sees('job', { id: open.id, state: 'done' })
  expect(mia.events.slice(before).filter(({ data }) => JSON.stringify(data).includes('a/b'))).toEqual([])
  mia.close()
})

test('a member cannot add a library that a rule gives to others, whether it is here or not', async () => {
  setRule({ access: 'restricted', groups: ['team'], users: [] })
  const key = keyOf(holding, 'otto')
  const add = async (repo: string) =>
    holding.json('/api/parse', { method: 'POST', key, body: { repoUrl: `${holding.git.url}/${repo}` } })
  const [here, missing] = [await add('a/b'), await add('a/zzz')]
  expect(here.status).toBe(403)
  expect(JSON.stringify(here.body).replaceAll('/a/b', '/a/zzz')).toBe(JSON.stringify(missing.body))
})

test('a library with the longer id of a second host is as restricted as that with the shorter one', async () => {
  setRule({ access: 'restricted', groups: ['team'], users: [] })
  const { app } = holding
  expect(app.libraryRules.current().of('/gitlab/a~b')).toMatchObject({ access: 'restricted' })
})

test('a repository that has moved to a name of others is not read under its old name', async () => {
  setRule({ access: 'restricted', groups: ['team'], users: [] })
  const { git, app } = holding
  await git.create('old/plans', { files })
  await git.rename('old/plans', 'a/plans')
  const key = keyOf(holding, 'otto')
  const body = { repoUrl: `${git.url}/old/plans` }
  const queued = await holding.json('/api/parse', { method: 'POST', key, body })
  const job = await holding.ended(Number((queued.body as { queueId: number }).queueId))
  expect([job.state, job.error]).toEqual(['failed', expect.stringContaining('has moved, and a rule of this install decides')])
  const preview = await holding.json('/api/parse/preview', { method: 'POST', key, body })
  expect([preview.status, JSON.stringify(preview.body)]).toEqual([403, expect.not.stringContaining('README')])
  expect(app.catalog.find({ owner: 'old', repo: 'plans' })).toBeUndefined()
})

test('a rule about the longer id holds for adding the repository, too', async () => {
  setRule(undefined)
  const { app, git } = holding
  app.libraryRules.set({ pattern: '/github/acme~hidden', access: 'restricted', groups: [], users: [] })
  const add = (path: string, body: object) => holding.json(path, { method: 'POST', key: keyOf(holding, 'otto'), body })
  const repoUrl = `${git.url}/acme/hidden`
  expect((await add('/api/parse', { repoUrl })).status).toBe(403)
  expect((await add('/api/parse/preview', { repoUrl })).status).toBe(403)
  expect((await add('/api/v2/add/repo/github', { docsRepoUrl: repoUrl })).status).toBe(403)
  app.libraryRules.remove('/github/acme~hidden')
})

test('only an admin adds what the token of Confluence reads while a rule or the key is about Confluence', async () => {
  const { app } = holding
  app.settings.change({ 'sources.allowedHosts': ['wiki.example.com'], 'confluence.baseUrl': 'https://wiki.example.com' })
  const body = { siteUrl: 'https://wiki.example.com', spaceKey: 'HR', projectTitle: 'x' }
  const add = async (key: string) => (await holding.json('/api/parse-confluence', { method: 'POST', key, body })).status
  expect(await add(keyOf(holding, 'otto', { libraries: ['/confluence/x'] }))).toBe(403)
  app.libraryRules.set({ pattern: '/confluence/hr', access: 'restricted', groups: [], users: [] })
  expect(await add(keyOf(holding, 'otto'))).toBe(403)
  app.libraryRules.remove('/confluence/hr')
  expect(await add(keyOf(holding, 'otto'))).toBe(202)
})

test('the support bundle is not for everyone while a rule hides a library', async () => {
  setRule({ access: 'restricted', groups: ['team'], users: [] })
  holding.app.settings.change({ 'permissions.anonymousSupportBundle': true, 'permissions.hidePrivate': false })
  expect((await holding.ask('/api/support-bundle')).status).toBe(401)
  setRule(undefined)
  expect((await holding.ask('/api/support-bundle')).status).toBe(200)
})

test('a connection of /mcp with libraries finds only those', async () => {
  setRule(undefined)
  const call = async (query: string, libraryName: string) => {
    const response = await holding.ask(`/mcp${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'resolve-library-id', arguments: { libraryName, query: 'widgets' } },
      }),
    })
    return response.text()
  }
  expect(await call('', 'a b')).toContain('/a/b')
  expect(await call('?libraries=/acme/*', 'a b')).not.toContain('/a/b')
  expect(await call('?libraries=/acme/*', 'open')).toContain('/acme/open')
  expect((await holding.ask('/mcp?libraries=acme', { method: 'POST', body: '{}' })).status).toBe(400)
})

test('the usage of all libraries counts only those that the caller may read', async () => {
  setRule(undefined)
  await holding.context('/a/b', 'widgets')
  await holding.context('/acme/open', 'widgets')
  const usage = async (key: string) =>
    (await holding.json('/api/usage', { key })).body as { totals: unknown; libraries: { libraryId: string }[] }
  await expect.poll(async () => (await usage(holding.keys.member)).libraries.length).toBe(2)
  const all = await usage(holding.keys.member)
  setRule({ access: 'restricted', groups: ['team'], users: [] })
  const some = await usage(holding.keys.member)
  expect(all.libraries.map(({ libraryId }) => libraryId).sort()).toEqual(['/a/b', '/acme/open'])
  expect(some.libraries.map(({ libraryId }) => libraryId)).toEqual(['/acme/open'])
  expect(JSON.stringify(some)).not.toBe(JSON.stringify(all))
})
