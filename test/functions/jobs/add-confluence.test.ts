import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type ConfluenceServer, startConfluence } from '../../fixtures/confluence-server.ts'
import { type ConnectProxy, startConnectProxy } from '../../fixtures/connect-proxy.ts'
import { type Person, type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'

const token = 'right-token-of-acme'
const basic = `Basic ${Buffer.from(`ann@example.com:${token}`).toString('base64')}`
const siteUrl = 'http://acme.atlassian.net'
const request = {
  cloudId: '1f2e-cloud',
  siteUrl,
  spaceKey: 'DOC',
  spaceName: 'Documentation',
  title: 'Widgets',
  description: 'How widgets work.',
}

let site: ConfluenceServer
let proxy: ConnectProxy
let dashboard: TestDashboard
let ann: Person
let dev: Person
let team: string
let key: string

beforeAll(async () => {
  const pages = [
    { id: '1', title: 'Home', version: 1, storage: '<p>Welcome to the widgets.</p>' },
    { id: '2', title: 'Levers', version: 1, parentId: '1', storage: '<p>Turn the lever twice to open the gate.</p>' },
  ]
  site = await startConfluence('cloud', [{ key: 'DOC', id: 7, name: 'Documentation', pages }])
  // The names of the internet lead to the site, so that the rules for addresses are those of a stage.
  proxy = await startConnectProxy(site.site)
  dashboard = await testDashboard({
    allowedHosts: ['acme.atlassian.net', 'other.atlassian.net', 'api.atlassian.com', '127.0.0.1'],
    env: { ...process.env, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '' },
  })
  team = (await dashboard.teamspace('Acme', { ann: 'admin', dev: 'developer' })).id
  ann = await dashboard.signIn('ann')
  dev = await dashboard.signIn('dev')
  key = (await dashboard.hosted.keyOf('Acme')).key
})
afterAll(async () => {
  await dashboard.close()
  await proxy.close()
  await site.close()
})
beforeEach(async () => {
  site.authorization = basic
  site.before = undefined
  await save({ siteUrl, user: 'ann@example.com', token })
})

const save = (body: object, person = ann) => person.ask('PUT', `/api/teamspaces/${team}/confluence`, body)

async function add(change: object = {}, bearer = key) {
  const body = { ...request, ...change }
  const answer = await dashboard.hosted.post('/api/v2/add/confluence', body, { authorization: `Bearer ${bearer}` })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const refresh = async (libraryName: string) =>
  (await dashboard.hosted.post('/api/v1/refresh', { libraryName }, { authorization: `Bearer ${key}` })).status

async function ended(library: string) {
  let progress = {}
  await vi.waitFor(async () => {
    progress = await dashboard.hosted.run('progress', { library })
    expect(progress).toMatchObject({ active: false })
  }, 60_000)
  return progress
}

async function ask(libraryId: string, bearer = key) {
  const query = new URLSearchParams({ libraryId, query: 'how is the gate opened' })
  const answer = await dashboard.hosted.get(`/api/v2/context?${query}`, { authorization: `Bearer ${bearer}` })
  return { status: answer.status, text: await answer.text() }
}

test('a space is a private library of its teamspace, and a refresh reads what has changed', async () => {
  const added = await add()
  expect(added).toMatchObject({ status: 200, body: { libraryName: expect.stringMatching(/^\/confluence\/widgets-[\da-f]{8}$/) } })
  const library = String(added.body.libraryName)
  expect(await ended(library)).toMatchObject({ state: 'finalized', error: null })
  expect(await ask(library)).toMatchObject({ status: 200, text: expect.stringContaining('Turn the lever twice') })
  const { key: other } = await dashboard.hosted.keyOf('Others')
  expect((await ask(library, other)).status).toBe(404)
  const [, owner = '', repo = ''] = library.split('/')
  expect((await dashboard.hosted.hosted.catalog.record({ owner, repo }))?.library).toMatchObject({
    ...{ title: 'Widgets', description: 'How widgets work.', source: 'Confluence (Private)', sourceType: 'confluence' },
    ...{ sourceUrl: 'http://acme.atlassian.net/wiki/display/DOC', privateTo: team },
  })
  expect(await add()).toMatchObject({ status: 409, body: { error: 'duplicate_repo', project: library } })
  expect(await add({ pageIds: ['2'] })).toMatchObject({ status: 409, body: { error: 'duplicate_repo' } })

  Object.assign(site.spaces[0]?.pages[1] ?? {}, { version: 2, storage: '<p>Pull the chain to open the gate.</p>' })
  expect(await refresh(library)).toBe(200)
  expect(await ended(library)).toMatchObject({ state: 'finalized', error: null })
  expect((await ask(library)).text).toContain('Pull the chain')
  const from = site.requests.length
  expect(await refresh(library)).toBe(200)
  await ended(library)
  expect(site.requests.slice(from).filter(({ path }) => path.includes('body-format'))).toEqual([])
})

test('named pages are read without the others', async () => {
  const { body } = await add({ title: 'Levers alone', pageIds: ['2'], projectId: team })
  const library = String(body.libraryName)
  expect(await ended(library)).toMatchObject({ state: 'finalized', error: null })
  expect((await ask(library)).text).toContain('gate')
  const [, owner = '', repo = ''] = library.split('/')
  expect((await dashboard.hosted.hosted.catalog.record({ owner, repo }))?.library).toMatchObject({ totalSnippets: 1 })
})

test('a token with scopes belongs to the address with the cloud id', async () => {
  site.authorization = `Bearer ${token}`
  await save({ siteUrl: 'http://api.atlassian.com/ex/confluence/1f2e-cloud/wiki', token })
  expect(await add({ cloudId: 'another' })).toMatchObject({ status: 409, body: { error: 'not_configured' } })
  const { body } = await add({ title: 'Scoped' })
  expect(await ended(String(body.libraryName))).toMatchObject({ state: 'finalized', error: null })
  expect((await ask(String(body.libraryName))).text).toContain('gate')
})

test('Confluence needs an owner or admin, a plan, and the own teamspace', async () => {
  const { teamspaces } = dashboard.hosted.hosted
  const { key: developer } = await teamspaces.createKey(team, { createdBy: 'test', role: 'developer' })
  await dashboard.hosted.run('createTeamspace', { name: 'Free', plan: 'free' })
  const { key: free } = await dashboard.hosted.keyOf('Free')
  expect(await add({}, developer)).toMatchObject({
    status: 403,
    body: { error: 'forbidden', message: 'Only owners and admins of a teamspace can add Confluence libraries.' },
  })
  expect(await add({}, free)).toMatchObject({
    status: 403,
    body: { error: 'forbidden', message: 'Confluence libraries require a paid plan or a team plan.' },
  })
  expect(await add({ projectId: 'another' })).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  expect(await save({ siteUrl, token }, dev)).toMatchObject({ status: 403 })
})

test.each([
  ['http://127.0.0.1/wiki', 'never asked'],
  ['http://169.254.169.254/wiki', 'never asked'],
  ['http://unlisted.atlassian.net/wiki', 'is not among the hosts'],
  ['http://ann:word@acme.atlassian.net/wiki', 'user name or password'],
])('the site %s is neither saved nor read', async (address, message) => {
  const rejected = { status: 400, body: { error: 'validation_error', fields: [{ path: 'siteUrl' }] } }
  const answers = [await save({ siteUrl: address, token }), await add({ title: 'Elsewhere', siteUrl: address })]
  for (const answer of answers) {
    expect(answer).toMatchObject(rejected)
    expect(answer.body.message).toContain(message)
  }
})

test('a site without a token of the teamspace is not asked', async () => {
  const tunnels = proxy.tunnels.length
  expect(await add({ title: 'Other', siteUrl: 'http://other.atlassian.net' })).toMatchObject({
    status: 409,
    body: { error: 'not_configured', message: expect.stringContaining('no token for http://other.atlassian.net/wiki') },
  })
  expect(await ann.ask('DELETE', `/api/teamspaces/${team}/confluence`)).toMatchObject({ status: 200 })
  expect(await add({ title: 'Other' })).toMatchObject({ status: 409, body: { error: 'not_configured' } })
  expect(proxy.tunnels).toHaveLength(tunnels)
})

test('a redirect to another host does not get the token', async () => {
  site.before = (asked, response) => {
    response.writeHead(302, { location: `http://other.atlassian.net${asked.url}` }).end()
    return true
  }
  const { body } = await add({ title: 'Redirected' })
  expect(await ended(String(body.libraryName))).toMatchObject({
    state: 'error',
    error: expect.stringContaining('redirects to other.atlassian.net'),
  })
  expect(proxy.tunnels.filter((tunnel) => tunnel.startsWith('other.'))).toEqual([])
})

test('a wrong token is the error of the job, which tells what to do', async () => {
  await save({ siteUrl, user: 'ann@example.com', token: 'wrong-token-of-acme' })
  const { body } = await add({ title: 'Wrong' })
  expect(await ended(String(body.libraryName))).toMatchObject({
    state: 'error',
    error: expect.stringContaining('rejected the token (401). Create a new one there'),
  })
})

test('no answer, job or log line holds the token', async () => {
  const shown = await dev.ask('GET', `/api/teamspaces/${team}/confluence`)
  expect(shown.body).toMatchObject({
    confluence: { site: 'http://acme.atlassian.net/wiki', user: 'ann@example.com', last4: 'acme' },
  })
  const texts = [
    shown,
    await add(),
    await ann.ask('GET', `/api/teamspaces/${team}/libraries`),
    await ann.ask('GET', `/api/teamspaces/${team}/audit`),
    dashboard.hosted.log.text(),
  ]
  for (const secret of [token, basic]) expect(JSON.stringify(texts)).not.toContain(secret)
})

test('a member adds a space of the saved site in the dashboard, as an admin and after the site is saved', async () => {
  const body = { spaceKey: 'DOC', title: 'Of the dashboard' }
  const addSpace = (person = ann) =>
    person.ask<Record<string, string>>('POST', `/api/teamspaces/${team}/sources/confluence`, body)
  const added = await addSpace()
  expect(added).toMatchObject({ status: 202, body: { libraryId: expect.stringMatching(/^\/confluence\/of-the-dashboard-/) } })
  expect(await ended(added.body.libraryId ?? '')).toMatchObject({ state: 'finalized', error: null })
  expect(await addSpace()).toMatchObject({ status: 409, body: { error: 'duplicate_repo' } })
  expect(await addSpace(dev)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  await ann.ask('DELETE', `/api/teamspaces/${team}/confluence`)
  expect(await addSpace()).toMatchObject({ status: 409, body: { error: 'not_configured' } })
})
