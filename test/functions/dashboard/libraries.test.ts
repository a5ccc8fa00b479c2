import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { type Person, type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'

type Body = Record<string, never> & { message: string; error: string }

let dashboard: TestDashboard
let acme: Teamspace
let vault: Teamspace
let ann: Person
let dev: Person
let stranger: Person

beforeAll(async () => {
  dashboard = await testDashboard()
  acme = await dashboard.teamspace('Acme', { ann: 'admin', dev: 'developer' })
  vault = await dashboard.teamspace('Vault', { keeper: 'owner' })
  ann = await dashboard.signIn('ann')
  dev = await dashboard.signIn('dev')
  stranger = await dashboard.signIn('keeper')
  const { git } = dashboard.hosted
  const files = { 'README.md': '# Widgets\n\nTurn the lever to open the gate.\n', 'docs/use.md': '# Use\n\nPull the chain.\n' }
  await git.create('acme/widgets', { files, tags: ['v1.0.0'] })
  await git.create('acme/secret', { files, private: '*:team-token' })
})
afterAll(() => dashboard.close())

const at = (path: string, team = acme) => `/api/teamspaces/${team.id}${path}`
const list = async (person = dev, team = acme) =>
  (await person.ask<{ libraries: { id: string; owned: boolean; state: string }[] }>('GET', at('/libraries', team))).body.libraries

const idle = (library: string) =>
  vi.waitFor(async () => {
    expect(await dashboard.hosted.run('progress', { library })).toMatchObject({ active: false })
  }, 60_000)

test('a developer adds a public library, sees its job and its content, and asks it', async () => {
  const repoUrl = `${dashboard.hosted.git.url}/acme/widgets`
  expect(await dev.ask('POST', at('/libraries'), { repoUrl })).toMatchObject({
    status: 202,
    body: { libraryId: '/acme/widgets' },
  })
  await idle('/acme/widgets')
  expect(await list()).toMatchObject([{ id: '/acme/widgets', owned: false, private: false, state: 'finalized', job: null }])
  expect((await dev.ask('GET', at('/jobs'))).body).toEqual({ jobs: [] })
  const detail = await dev.ask('GET', at('/libraries/Acme/Widgets'))
  expect(detail.body).toMatchObject({ id: '/acme/widgets', versions: [{ version: '', snippets: expect.any(Number) }] })
  const pages = await dev.ask('GET', at('/libraries/acme/widgets/pages?q=use'))
  expect(pages.body).toMatchObject({ total: 1, pages: [{ path: 'docs/use.md' }] })
  const page = await dev.ask('GET', at('/libraries/acme/widgets/pages/docs/use.md'))
  expect(page.body).toMatchObject({ items: [{ content: expect.stringContaining('Pull the chain.') }] })
  const answer = await dev.ask('GET', at('/libraries/acme/widgets/ask?query=turn+the+lever'))
  expect(answer.body).toMatchObject({
    infoSnippets: [{ explain: { words: expect.arrayContaining(['lever']) } }],
    timings: {},
    available: { vectors: false, reranking: false },
  })
  expect(await stranger.ask('POST', at('/libraries', vault), { repoUrl })).toMatchObject({
    status: 200,
    body: { message: '/acme/widgets exists. It is in your list now.' },
  })
  expect(await list(stranger, vault)).toMatchObject([{ id: '/acme/widgets', owned: false }])
})

test('the name of a package means the repository of its documentation', async () => {
  expect(await dev.ask('POST', at('/libraries'), { repoUrl: ' https://www.npmjs.com/package/react ' })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('The documentation of React is in https://github.com/reactjs/react.dev') },
  })
})

test('a job is listed with its progress until it ends, and a second refresh meanwhile is rejected', async () => {
  const { git } = dashboard.hosted
  await git.commit('acme/widgets', { files: { 'docs/more.md': '# More\n\nPush the bar.\n' } })
  const open = Promise.withResolvers<void>()
  git.misbehave('acme/widgets', { kind: 'hold', until: open.promise, held: () => undefined })
  expect((await dev.ask('POST', at('/libraries/acme/widgets/refresh'))).status).toBe(202)
  const jobs = await dev.ask('GET', at('/jobs'))
  expect(jobs.body).toMatchObject({ jobs: [{ libraryId: '/acme/widgets', progress: { filesDone: 0 } }] })
  expect(await dev.ask('POST', at('/libraries/acme/widgets/refresh'))).toMatchObject({
    status: 409,
    body: { error: 'job_active' },
  })
  expect((await ann.ask('GET', at('/libraries/acme/widgets/source'))).body).toMatchObject({ error: 'access_denied' })
  open.resolve()
  await idle('/acme/widgets')
  git.misbehave('acme/widgets')
})

test('a private library is added by an admin with the token of the teamspace, which no route answers', async () => {
  const repoUrl = `${dashboard.hosted.git.url}/acme/secret`
  const add = (person: Person) => person.ask<Body>('POST', at('/libraries'), { repoUrl, private: true })
  expect(await add(dev)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  expect(await add(ann)).toMatchObject({ status: 409, body: { error: 'not_configured' } })
  for (const token of ['short', 'with a space', 'x'.repeat(501), 7])
    expect((await ann.ask('PUT', at('/git-tokens/github'), { token })).status).toBe(400)
  expect((await ann.ask('PUT', at('/git-tokens/else'), { token: 'team-token' })).status).toBe(400)
  expect((await ann.ask('PUT', at('/git-tokens/github'), { token: 'team-token' })).status).toBe(200)
  expect((await add(ann)).status).toBe(202)
  await idle('/acme/secret')
  const tokens = await (await dev.send('GET', at('/git-tokens'))).text()
  expect(JSON.parse(tokens)).toMatchObject({ gitTokens: [{ host: 'github', last4: 'oken' }] })
  expect(tokens).not.toContain('team-token')
  expect(await list()).toMatchObject([
    { id: '/acme/secret', private: true, owned: true, state: 'finalized' },
    { id: '/acme/widgets' },
  ])
})

test('an admin sets when the repository of a library is asked for changes, and the library says when that is', async () => {
  const source = (change: object) => ann.ask<Body>('PATCH', at('/libraries/acme/secret/source'), change)
  const library = () => ann.ask('GET', at('/libraries/acme/secret'))
  expect(await source({ schedule: 'daily' })).toMatchObject({ status: 200, body: { schedule: 'daily' } })
  expect((await library()).body).toMatchObject({ nextCheckAt: expect.any(String), lastCheckedAt: expect.any(String) })
  expect(await source({ schedule: { cron: 'at noon' } })).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  expect(await dev.ask('PATCH', at('/libraries/acme/secret/source'), { schedule: 'daily' })).toMatchObject({ status: 403 })
  expect(await source({ schedule: 'off' })).toMatchObject({ status: 200, body: { schedule: 'off' } })
  expect((await library()).body).not.toHaveProperty('nextCheckAt')
  await dashboard.hosted.run('schedule', { library: '/acme/secret', schedule: 'default' })
  expect((await library()).body).toHaveProperty('nextCheckAt')
  await dashboard.hosted.run('schedule', { library: '/acme/secret', schedule: 'off' })
  await expect(dashboard.hosted.run('schedule', { library: '/acme/secret', schedule: 'sometimes' })).rejects.toThrow(
    'must be off',
  )
})

test.each([
  ['GET', ''],
  ['GET', '/pages'],
  ['GET', '/pages/README.md'],
  ['GET', '/flagged'],
  ['GET', '/changes'],
  ['GET', '/ask?query=turn'],
  ['GET', '/source'],
  ['GET', '/usage'],
  ['POST', '/refresh'],
  ['DELETE', ''],
  ['POST', '/claim'],
  ['POST', '/claim/verify'],
  ['DELETE', '/claim'],
])('%s …%s of a private library of another teamspace is answered like that of a missing one', async (method, path) => {
  const answers = await Promise.all(
    ['secret', 'secreu'].map(async (repo) => {
      const { status, body } = await stranger.ask<Body>(method, at(`/libraries/acme/${repo}${path}`, vault))
      return JSON.stringify([status, body]).replaceAll('secreu', 'secret')
    }),
  )
  expect(answers[0]).toContain('library_not_found')
  expect(answers[1]).toBe(answers[0])
})

test('source settings are read by members, changed by admins with the state they have seen, and applied by the next refresh', async () => {
  const path = at('/libraries/acme/secret/source')
  const before = await dev.send('GET', path)
  expect(await before.json()).toMatchObject({ folders: null, versions: [] })
  const etag = before.headers.get('etag') ?? ''
  const change = (folders: string[]) => ann.send('PATCH', path, { folders }, { 'if-match': etag })
  const changed = await change(['docs'])
  expect(await changed.json()).toMatchObject({ folders: ['docs'], message: 'The change applies from the next refresh.' })
  expect((await change(['src'])).status).toBe(412)
  expect((await ann.ask('PATCH', path, { private: false })).status).toBe(400)
  expect((await ann.ask('PATCH', path, { repoUrl: `${dashboard.hosted.git.url}/acme/widgets` })).status).toBe(400)
  await dev.ask('POST', at('/libraries/acme/secret/refresh'))
  await idle('/acme/secret')
  // Markdown in the root is always read.
  const { versions, settings } = (await dashboard.hosted.hosted.catalog.whole({ owner: 'acme', repo: 'secret' })) ?? {}
  expect([versions?.size, settings?.folders, settings?.outdated]).toEqual([1, ['docs'], []])
})

test('an admin deletes a library of the teamspace, and only unlists one of others', async () => {
  expect((await ann.ask<Body>('DELETE', at('/libraries/acme/widgets'))).body.message).toContain('no longer in the list')
  expect(await dashboard.hosted.hosted.catalog.record({ owner: 'acme', repo: 'widgets' })).toBeDefined()
  expect((await ann.ask<Body>('DELETE', at('/libraries/acme/secret'))).body.message).toContain('is deleted')
  expect(await dashboard.hosted.hosted.catalog.record({ owner: 'acme', repo: 'secret' })).toBeUndefined()
  expect(await list()).toEqual([])
  const audit = await dashboard.hosted.hosted.audit.list(acme.id)
  expect(audit.map(({ what }) => what)).toEqual(expect.arrayContaining(['unlistLibrary', 'deleteLibrary', 'saveGitToken']))
  expect(JSON.stringify(audit)).not.toContain('team-token')
})

test('the usage of a library is that of the public API, and CSV and totals of all libraries contain it', async () => {
  const { hosted } = dashboard.hosted
  await dashboard.hosted.run('own', { library: '/acme/widgets', teamspace: 'Acme' })
  const { key } = await dashboard.hosted.keyOf('Acme')
  const ask = { authorization: `Bearer ${key}`, 'cloudfront-viewer-country': 'NO' }
  await dashboard.hosted.get('/api/v2/context?libraryId=/acme/widgets&query=turn+the+lever', ask)
  await dashboard.hosted.get('/api/v2/context?libraryId=/acme/widgets&query=pull+the+chain', ask)
  const path = at('/libraries/acme/widgets/usage?days=7')
  type Usage = { period: { txt: number }; apiUrl: string; since: string; daily: unknown[] }
  await vi.waitFor(async () => expect((await dev.ask<Usage>('GET', path)).body.period.txt).toBe(2), 20_000)
  const { body } = await dev.ask<Usage>('GET', path)
  const today = new Date().toISOString().slice(0, 10)
  expect(body).toMatchObject({ libraryId: '/acme/widgets', since: today, previous: null, total: { txt: 2, page: 1 } })
  const called = await (await fetch(body.apiUrl, { headers: { authorization: `Bearer ${key}` } })).json()
  expect(called).toMatchObject({ total: { txt: 2, page: 1 } })
  const csv = await dev.send('GET', `${path}&format=csv`)
  expect(csv.headers.get('content-disposition')).toMatch(/carrel-usage-acme-widgets-.*\.csv/)
  expect(await csv.text()).toContain(`requests,${today},,0,0,1,2,3\r\n`)
  const all = await dev.ask('GET', at('/usage?days=30'))
  expect(all.body).toMatchObject({
    libraryId: null,
    period: { txt: 2, libraries: 1 },
    countries: [{ country: 'NO', count: 2 }],
    libraries: [{ libraryId: '/acme/widgets', txt: 2 }],
  })
  expect((await dev.ask<Body>('GET', `${path}&version=9.9`)).body.error).toBe('tag_not_found')
  await hosted.catalog.own({ owner: 'acme', repo: 'widgets' }, undefined)
  expect((await dev.ask<Body>('GET', path)).body.error).toBe('access_denied')
  expect((await dev.ask('GET', at('/usage'))).body).toMatchObject({ period: { txt: 0 }, libraries: [] })
})

test('a claim is proven by the address of the service and the key', async () => {
  const path = at('/libraries/acme/widgets/claim')
  const { body } = await ann.ask<{ url: string; publicKey: string }>('POST', path)
  expect(body.url).toBe(`${dashboard.hosted.url}/acme/widgets`)
  expect(await ann.ask('POST', `${path}/verify`)).toMatchObject({ status: 409, body: { reason: 'file_not_found' } })
  const file = JSON.stringify({ url: body.url, public_key: body.publicKey })
  await dashboard.hosted.git.commit('acme/widgets', { files: { 'carrel.json': file } })
  expect((await ann.ask('POST', `${path}/verify`)).status).toBe(200)
  expect(await list()).toMatchObject([{ id: '/acme/widgets', owned: true }])
  expect((await ann.ask('DELETE', path)).status).toBe(200)
  expect(await list()).toEqual([])
})

test('a person verifies a hundred claims a day, also those that fail, and others still verify theirs', async () => {
  const [eve, other] = [await dashboard.signIn('eve'), await dashboard.signIn('zoe')]
  const { id } = await dashboard.teamspace('Verifying', { eve: 'admin', zoe: 'admin' })
  const path = `/api/teamspaces/${id}/libraries/acme/missing/claim/verify`
  const statuses: number[] = []
  for (let i = 0; i < 101; i++) statuses.push((await eve.ask('POST', path)).status)
  expect([...new Set(statuses.slice(0, 100)), statuses[100]]).toEqual([404, 429])
  expect((await other.ask('POST', path)).status).toBe(404)
})
