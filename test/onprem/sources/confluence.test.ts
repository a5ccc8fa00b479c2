import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { parseLibraryId } from '../../../shared/library.ts'
import { type ConfluencePage, type ConfluenceServer, startConfluence } from '../../fixtures/confluence-server.ts'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const token = 'ATATT3xFfGF0-token-of-a-test'
const macro = (name: string, inside: string) => `<ac:structured-macro ac:name="${name}">${inside}</ac:structured-macro>`
const code = (language: string, text: string) =>
  macro(
    'code',
    `<ac:parameter ac:name="language">${language}</ac:parameter><ac:plain-text-body><![CDATA[${text}]]></ac:plain-text-body>`,
  )
const birds = (): ConfluencePage[] => [
  { id: '1', title: 'Birds', version: 1, storage: '<p>Birds is a library that draws birds on a page.</p>' },
  {
    ...{ id: '2', title: 'Guide', version: 3, parentId: '1' },
    storage: `<h1>Routes</h1><p>A route leads a swallow to the south.</p>${code('js', 'birds.route("south") && fly()')}`,
  },
  { id: '3', title: 'Owls at night', version: 2, parentId: '2', storage: '<p>Owls are drawn in the dark of the night.</p>' },
]

let install: TestInstall
const sites: (ConfluenceServer | StaticSite)[] = []
beforeAll(async () => {
  install = await testInstall()
})
beforeEach(() => {
  install.app.settings.change({ 'confluence.baseUrl': null, 'confluence.user': null, 'confluence.token': null })
})
afterAll(async () => {
  await install.close()
  for (const site of sites) await site.close()
})

function allow<Site extends ConfluenceServer | StaticSite>(site: Site): Site {
  sites.push(site)
  install.app.settings.change({ 'sources.allowedHosts': sites.map(({ host }) => host) })
  return site
}
const siteOf = async (kind: 'cloud' | 'data-center', pages = birds()) =>
  allow(await startConfluence(kind, [{ key: 'BIRDS', id: 77, name: 'Birds', description: 'Draws birds', pages }]))
const storeToken = (site: ConfluenceServer, user?: string) => {
  install.app.settings.change({
    'confluence.baseUrl': site.site,
    'confluence.token': token,
    ...(user && { 'confluence.user': user }),
  })
  site.authorization = user ? `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}` : `Bearer ${token}`
}
const send = (body: object, key: string | undefined = install.keys.admin) =>
  install.json('/api/parse-confluence', { method: 'POST', ...(key !== undefined && { key }), body })
async function added(body: object) {
  const { status, body: answer } = await send(body)
  expect([status, answer]).toEqual([202, expect.anything()])
  return install.ended((answer as { queueId: number }).queueId)
}
const refreshed = async (project: string) => {
  const { body } = await install.json(`/api/projects${project}/refresh`, { method: 'POST', key: install.keys.admin, body: {} })
  return install.ended((body as { queueId: number }).queueId)
}
const pagesOf = async (id: string): Promise<string[]> => {
  const { body } = await install.json(`/api/v2/libs${id}/pages`, { key: install.keys.admin })
  return (body as { pages: { path: string }[] }).pages.map(({ path }) => path).sort()
}
const ask = async (id: string, query: string) => {
  const path = `/api/v2/context?libraryId=${encodeURIComponent(id)}&query=${encodeURIComponent(query)}&type=json`
  const { body } = await install.json(path, { key: install.keys.admin })
  return body as {
    codeSnippets: { codeId: string; codeList: { language: string; code: string }[] }[]
    infoSnippets: { breadcrumb: string; pageId: string; content: string }[]
  }
}
const textsOf = ({ requests }: ConfluenceServer) => requests.filter(({ path }) => /body[.-](?:format=)?storage/.test(path))

test.each([
  ['cloud', 'ada@example.com'],
  ['data-center', undefined],
] as const)(
  'a space of Confluence (%s) is read with the stored token, and answers with the addresses of its pages',
  async (kind, user) => {
    const site = await siteOf(kind)
    site.partSize = 2
    storeToken(site, user)
    const title = `Birds of ${kind}`
    const job = await added({ spaceKey: 'BIRDS', projectTitle: title })
    const id = `/confluence/birds-of-${kind}`
    expect([job.error, job.project]).toEqual([null, id])
    expect(await pagesOf(id)).toEqual(['docs/Birds.html', 'docs/Guide.html', 'docs/Guide/Owls-at-night.html'])
    const { codeSnippets } = await ask(id, 'route to the south')
    const address = kind === 'cloud' ? `${site.site}/spaces/BIRDS/pages/2/Guide` : `${site.site}/display/BIRDS/Guide`
    expect(codeSnippets[0]).toMatchObject({
      codeId: address,
      codeList: [{ language: 'js', code: 'birds.route("south") && fly()' }],
    })
    expect(install.app.catalog.find(parseLibraryId(id))).toMatchObject({ description: 'Draws birds', private: true })
  },
)

test('a refresh of an unchanged space only lists its pages, and that of a changed one asks for the changed texts', async () => {
  const site = await siteOf('cloud')
  await added({ siteUrl: site.site, spaceKey: 'BIRDS', projectTitle: 'Incremental' })
  expect(textsOf(site)).toHaveLength(3)
  site.requests.length = 0
  const unchanged = await refreshed('/confluence/incremental')
  expect([unchanged.error, textsOf(site).length, site.requests.length]).toEqual([null, 0, 3])
  Object.assign(site.spaces[0]?.pages[2] ?? {}, { version: 3, storage: '<p>Owls sleep by day in the barn.</p>' })
  const changed = await refreshed('/confluence/incremental')
  expect([changed.error, textsOf(site).map(({ path }) => path)]).toEqual([null, ['/wiki/api/v2/pages/3?body-format=storage']])
  expect(JSON.stringify(await ask('/confluence/incremental', 'owls in the barn'))).toContain('sleep by day in the barn')
})

test('the token reaches neither another site nor the target of a redirect, and is in no answer, log or error', async () => {
  const site = await siteOf('data-center')
  storeToken(site)
  const other = await siteOf('data-center')
  const thief = allow(await startStaticSite({}))
  const open = await added({ siteUrl: other.site, spaceKey: 'BIRDS', projectTitle: 'Other site' })
  expect([open.error, other.requests.filter(({ headers }) => headers.authorization)]).toEqual([null, []])
  site.before = (request, response) => {
    if (!/\/content\//.test(request.url ?? '')) return false
    response.writeHead(302, { location: `${thief.url}/login` }).end()
    return true
  }
  const job = await added({ spaceKey: 'BIRDS', projectTitle: 'Redirected' })
  expect([job.state, job.error]).toEqual(['failed', expect.stringContaining(`redirects to ${thief.host}, perhaps to sign in`)])
  expect(thief.requests).toEqual([])
  const { body } = await install.json('/api/settings', { key: install.keys.admin })
  expect((body as Record<string, unknown>)['confluence.token']).toEqual({ set: true, last4: 'test' })
  expect(JSON.stringify([body, job, install.log.lines])).not.toContain(token)
  const basic = `Basic ${Buffer.from(`:${token}`).toString('base64')}`
  expect(JSON.stringify([body, job, install.log.lines])).not.toContain(basic)
})

test('another address of the site drops the token, and a token without an address is refused', async () => {
  const site = await siteOf('cloud')
  storeToken(site, 'ada@example.com')
  const { dropped } = install.app.settings.change({ 'confluence.baseUrl': 'https://other.atlassian.net' })
  expect([dropped, install.app.settings.get('confluence.baseUrl')]).toEqual([
    ['confluence.token'],
    'https://other.atlassian.net/wiki',
  ])
  install.app.settings.change({ 'confluence.baseUrl': null })
  expect(() => install.app.settings.change({ 'confluence.token': token })).toThrow('belongs to the site in confluence.baseUrl')
})

test('restricted, archived and unfinished pages are left out, and the report names those that the list shows', async () => {
  const pages: ConfluencePage[] = [
    ...birds(),
    { id: '4', title: 'Hidden', version: 1, parentId: '1', hidden: true, storage: '<p>Nobody may read about ravens.</p>' },
    { id: '5', title: 'Restricted', version: 1, parentId: '1', restricted: true, storage: '<p>Nobody may read about crows.</p>' },
    {
      id: '6',
      title: 'Archived',
      version: 1,
      parentId: '1',
      status: 'archived',
      storage: '<p>An archived page about gulls.</p>',
    },
    { id: '7', title: 'Draft', version: 1, parentId: '1', status: 'draft', storage: '<p>A draft about geese.</p>' },
    { id: '8', title: 'Below hidden', version: 1, parentId: '4', storage: '<p>A page about herons below a hidden one.</p>' },
  ]
  for (const kind of ['cloud', 'data-center'] as const) {
    const site = await siteOf(kind, pages)
    const job = await added({ siteUrl: site.site, spaceKey: 'BIRDS', projectTitle: `Rights ${kind}` })
    expect(job.error).toBeNull()
    expect((await pagesOf(`/confluence/rights-${kind}`)).map((path) => path.split('/').at(-1))).toEqual([
      'Below-hidden.html',
      'Birds.html',
      'Guide.html',
      'Owls-at-night.html',
    ])
    expect(job.report?.skipped).toContainEqual({
      path: expect.stringContaining('Restricted'),
      reason: expect.stringContaining('it is restricted or gone'),
    })
  }
})

test('pages are read with those below them or alone, by the addresses that browsers show', async () => {
  const pages: ConfluencePage[] = [
    ...birds(),
    { id: '4', title: 'In a folder', version: 1, parentId: '90', parentType: 'folder', storage: '<p>Gulls are in a folder.</p>' },
    { id: '589828', title: 'Ravens', version: 1, parentId: '1', storage: '<p>Ravens are black.</p>' },
  ]
  const site = await siteOf('cloud', pages)
  site.folders.set('90', { title: 'A folder', parentId: '2' })
  const tree = { siteUrl: site.site, pageUrls: [`${site.site}/spaces/BIRDS/pages/2/Guide`], projectTitle: 'Tree' }
  expect((await added(tree)).error).toBeNull()
  expect(await pagesOf('/confluence/tree')).toEqual([
    'docs/A-folder/In-a-folder.html',
    'docs/Guide.html',
    'docs/Owls-at-night.html',
  ])
  const server = await siteOf('data-center', pages)
  const alone = [
    `${server.site}/x/BAAJ`,
    `${server.site}/display/BIRDS/Owls+at+night`,
    `${server.site}/pages/viewpage.action?pageId=2`,
  ]
  const job = await added({
    ...{ siteUrl: server.site, includeSubPages: false, projectTitle: 'Alone' },
    pageUrls: [...alone, `${server.site}/pages/viewpage.action?pageId=404`],
  })
  expect(await pagesOf('/confluence/alone')).toEqual(['docs/Guide.html', 'docs/Guide/Owls-at-night.html', 'docs/Ravens.html'])
  expect(job.report?.skipped).toContainEqual({
    path: `${server.site}/pages/viewpage.action?pageId=404`,
    reason: 'it does not exist, or the token may not read it',
  })
})

test('a list of pages that never ends is given up, and one that leads to another host stays on its own', async () => {
  const site = await siteOf('cloud')
  const elsewhere = allow(await startStaticSite({}))
  const list = (next: string) => {
    site.before = (request, response) => {
      if (!request.url?.startsWith('/wiki/api/v2/pages?space-id') || request.url.includes('cursor=last')) return false
      const version = { number: 1 }
      const results = [{ id: '1', status: 'current', title: 'Birds', spaceId: '77', version, _links: { webui: '/x' } }]
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results, _links: { next } }))
      return true
    }
  }
  list('/wiki/api/v2/pages?cursor=again')
  const endless = await added({ siteUrl: site.site, spaceKey: 'BIRDS', projectTitle: 'Endless' })
  expect([endless.state, endless.error]).toEqual(['failed', expect.stringContaining('does not end its list of pages')])
  list(`${elsewhere.url}/wiki/api/v2/pages?cursor=last`)
  const led = await added({ siteUrl: site.site, spaceKey: 'BIRDS', projectTitle: 'Led away' })
  expect([led.error, elsewhere.requests]).toEqual([null, []])
})

test('a sign-in page, a rejected token, a missing space and a busy host are told apart', async () => {
  const site = await siteOf('data-center')
  const reasonOf = async (title: string, spaceKey = 'BIRDS') =>
    (await added({ siteUrl: site.site, spaceKey, projectTitle: title })).error
  expect(await reasonOf('Missing', 'FISH')).toContain('has no space FISH, or the token may not read it')
  site.authorization = 'Bearer of-somebody-else'
  expect(await reasonOf('No token')).toContain('asks for a token (401). Save one in the settings of Confluence.')
  storeToken(site)
  site.authorization = 'Bearer of-somebody-else'
  expect(await reasonOf('Wrong token')).toContain('rejected the token (401)')
  site.before = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><html><form id="login-container"></form></html>')
    return true
  }
  expect(await reasonOf('Login page')).toContain('with a web page, such as its sign-in page')
  site.before = (_, response) => {
    response.writeHead(429, { 'retry-after': '3600' }).end()
    return true
  }
  const { body } = await send({ siteUrl: site.site, spaceKey: 'BIRDS', projectTitle: 'Busy' })
  const { queueId } = body as { queueId: number }
  await install.says(queueId, 'asks to wait 3600 s')
  await install.json(`/api/jobs/${queueId}/cancel`, { method: 'POST', key: install.keys.admin })
  let busy = 2
  site.authorization = `Bearer ${token}`
  site.before = (_, response) => {
    if (busy-- <= 0) return false
    response.writeHead(429, { 'retry-after': '0' }).end()
    return true
  }
  expect(await reasonOf('Patient')).toBeNull()
})

test('a page that the site fails to send keeps its earlier text, and is asked for again', async () => {
  const site = await siteOf('cloud')
  await added({ siteUrl: site.site, spaceKey: 'BIRDS', projectTitle: 'Failing' })
  Object.assign(site.spaces[0]?.pages[1] ?? {}, { version: 4, storage: '<p>A route leads a stork to the west.</p>' })
  Object.assign(site.spaces[0]?.pages[2] ?? {}, { version: 3, storage: '<p>Owls sleep by day in the barn.</p>' })
  site.before = (request, response) => {
    if (!request.url?.includes('/pages/2?')) return false
    response.writeHead(500).end('broken')
    return true
  }
  const job = await refreshed('/confluence/failing')
  expect(job.report?.skipped).toContainEqual({
    path: expect.stringContaining('/pages/2/'),
    reason: expect.stringContaining('500'),
  })
  const answer = JSON.stringify(await ask('/confluence/failing', 'route of a swallow, owls in the barn'))
  expect(answer).toContain('leads a swallow to the south')
  expect(answer).toContain('sleep by day in the barn')
  site.before = undefined
  site.requests.length = 0
  await refreshed('/confluence/failing')
  expect(textsOf(site).map(({ path }) => path)).toEqual(['/wiki/api/v2/pages/2?body-format=storage'])
  expect(JSON.stringify(await ask('/confluence/failing', 'route of a stork'))).toContain('leads a stork to the west')
})

test.each([
  ['a host that is not listed', { siteUrl: 'https://docs.example.com/wiki', spaceKey: 'A' }, 'sources.allowedHosts'],
  ['a space together with pages', { spaceKey: 'A', pageUrls: ['SITE/x/BAAJ'] }, 'must be absent if there is a spaceKey'],
  ['neither a space nor pages', {}, 'must name a space'],
  [
    'a page of another site',
    { pageUrls: ['https://example.com/pages/viewpage.action?pageId=1'] },
    'must be the address of a page',
  ],
  ['an address that is no page', { pageUrls: ['SITE/display/BIRDS'] }, 'must be the address of a page'],
  ['no address at all', { siteUrl: '', spaceKey: 'A' }, 'siteUrl'],
])('a request with %s is refused', async (_, body, reason) => {
  const { site } = await siteOf('data-center')
  const text = JSON.stringify({ siteUrl: site, ...body }).replaceAll('SITE', site)
  const { status, body: answer } = await send(JSON.parse(text) as object)
  expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringContaining(reason)])
})

test('a caller without a key is refused', async () => {
  install.app.settings.change({ 'permissions.anonymousParse': true })
  const { site } = await siteOf('data-center')
  const { status } = await install.json('/api/parse-confluence', { method: 'POST', body: { siteUrl: site, spaceKey: 'BIRDS' } })
  install.app.settings.change({ 'permissions.anonymousParse': false })
  expect(status).toBe(403)
})

test('the token is tested with its address, and the test names its owner', async () => {
  const site = await siteOf('data-center')
  storeToken(site)
  site.before = (request, response) => {
    if (request.url !== '/confluence/rest/api/user/current') return false
    const isKnown = request.headers.authorization === site.authorization
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ type: 'known', username: 'ada', displayName: 'Ada Lovelace' }))
    return true
  }
  const test = (body: object) =>
    install.json('/api/settings/test?only=confluence', { method: 'POST', key: install.keys.admin, body })
  expect((await test({})).body).toEqual({ confluence: { ok: true, login: 'Ada Lovelace' } })
  expect((await test({ 'confluence.token': 'another-token' })).body).toMatchObject({
    confluence: { ok: false, error: expect.stringContaining('rejected the token (401)') },
  })
})
