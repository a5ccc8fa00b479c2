import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

let app: TestInstall

beforeEach(async () => {
  app = await testInstall()
  await app.git.create('acme/first', { files: { 'README.md': '# First\n\nThe first of all.\n' } })
})
afterEach(() => app.close())

const queue = async (repo: string, key: string | undefined = app.keys.member) => {
  const body = { repoUrl: `${app.git.url}/${repo}` }
  const queued = await app.json('/api/parse', { method: 'POST', ...(key === '' ? {} : { key }), body })
  expect(queued.status).toBe(202)
  return (queued.body as { queueId: number }).queueId
}
/** A first parse that fetches until the test ends. */
const stall = async (repo = 'acme/first') => {
  app.git.misbehave(repo, { kind: 'stall', at: 'pack' })
  const id = await queue(repo)
  await expect.poll(() => app.app.jobs.active()[0]?.statusMessage, { interval: 5 }).toBeTypeOf('string')
  return id
}
const fail = async (repo = 'acme/first') => {
  app.git.misbehave(repo, { kind: 'status', status: 404 })
  return app.ended(await queue(repo))
}
const ids = async (query = '', key?: string) => {
  const { body } = await app.json(`/api/projects?${query}`, { key })
  return (body as { projects: { id: string; state: string }[] }).projects.map(({ id, state }) => `${id} ${state}`)
}
const get = (id = 'acme/first') => app.json(`/api/projects/${id}`)
const remove = (id = 'acme/first', key = app.keys.admin) => app.json(`/api/projects/${id}`, { method: 'DELETE', key })
const messageOf = async (path: string) => {
  const { status, body } = await app.json(path)
  const { error, message } = body as { error: string; message: string }
  return { status, error, message }
}
const search = (name = 'first') => messageOf(`/api/v2/libs/search?libraryName=${encodeURIComponent(name)}&query=x`)
const context = (id = '/acme/first') => messageOf(`/api/v2/context?libraryId=${id}&query=x`)

async function mcp(name: string, args: Record<string, string>): Promise<string> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`)))
  const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] }
  await client.close()
  return content[0]?.text ?? ''
}

const beingParsed = /^\/acme\/first is being added: it is being fetched \(.+\)\. Try again when it is finished\.$/
const noMatch = (text: RegExp) => new RegExp(`^No library with content matches "[^"]+" yet\\. ${text.source.slice(1)}`)

test('a library that is being parsed for the first time is listed with its known facts', async () => {
  await stall()
  expect(await ids()).toEqual(['/acme/first processing'])
  expect((await get()).body).toEqual({
    id: '/acme/first',
    title: 'first',
    description: 'Documentation of acme/first',
    branch: '',
    lastUpdateDate: expect.any(String),
    state: 'processing',
    totalTokens: 0,
    totalSnippets: 0,
    codeSnippets: 0,
    stars: -1,
    trustScore: -1,
    benchmarkScore: 0,
    versions: [],
    source: 'Local',
    tags: [],
    sourceUrl: `${app.git.url}/acme/first`,
    commit: '',
    imported: false,
    private: false,
    generated: false,
    stale: false,
    statusMessage: expect.stringMatching(beingParsed),
  })
  expect(await remove()).toMatchObject({
    status: 409,
    body: { error: 'job_active', project: '/acme/first', status: 'parsing' },
  })
})

test('search, context and MCP report the progress of a matching first parse', async () => {
  await stall()
  expect(await context()).toEqual({ status: 404, error: 'library_not_found', message: expect.stringMatching(beingParsed) })
  for (const name of ['first', 'First.js', 'acme/first', `${app.git.url}/acme/first`, '/acme/first/v1'])
    expect(await search(name)).toEqual({
      status: 404,
      error: 'no_libraries_found',
      message: expect.stringMatching(noMatch(beingParsed)),
    })
  expect((await search('second')).message).not.toContain('acme')
  expect(await mcp('resolve-library-id', { libraryName: 'first', query: 'x' })).toMatch(noMatch(beingParsed))
  expect(await mcp('query-docs', { libraryId: '/acme/first', query: 'x' })).toMatch(beingParsed)
})

test('a library whose first parse failed is listed, and every message has the reason', async () => {
  const { id, error } = await fail()
  const reason = `/acme/first has no content: job ${id} could not add it. ${error?.replace(/^\w+: /, '')} Add it again, or delete it.`
  expect(await ids()).toEqual(['/acme/first error'])
  expect(await get()).toMatchObject({
    status: 200,
    body: { state: 'error', totalSnippets: 0, versions: [], statusMessage: reason },
  })
  expect(await context()).toEqual({ status: 404, error: 'library_not_found', message: reason })
  expect((await search()).message).toBe(`No library with content matches "first" yet. ${reason}`)
  expect(await mcp('resolve-library-id', { libraryName: 'first', query: 'x' })).toContain(reason)
  expect(await mcp('query-docs', { libraryId: '/acme/first', query: 'x' })).toBe(reason)
})

test('every message has the reason of the last attempt and the time of the next while a first parse waits', async () => {
  await app.stop()
  app = await testInstall({ reopen: app, limits: { retryPausesMs: [60_000] } })
  app.git.misbehave('acme/first', { kind: 'status', status: 503 })
  const id = await queue('acme/first')
  await app.says(id, 'Trying again')
  const parses = async () =>
    ((await app.json('/api/parse-status')).body as { activeParses: Record<string, { nextAttemptAt: string }> }).activeParses
  await expect.poll(parses).toMatchObject({ '/acme/first': { nextAttemptAt: expect.any(String) } })
  const { nextAttemptAt } = (await parses())['/acme/first'] ?? {}
  const reason = `The host ${new URL(app.git.url).host} responded with status 503. The next attempt is at ${nextAttemptAt}.`
  expect(await parses()).toEqual({
    '/acme/first': {
      status: 'queued',
      position: 0,
      createdAt: expect.any(String),
      nextAttemptAt,
      statusMessage: `The last attempt failed: ${reason}`,
    },
  })
  const wait = Date.parse(nextAttemptAt ?? '') - Date.now()
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60_000)
  const text = `/acme/first is being added, but the last attempt of job ${id} failed: ${reason}`
  expect(await context()).toEqual({ status: 404, error: 'library_not_found', message: text })
  expect((await search()).message).toBe(`No library with content matches "first" yet. ${text}`)
  expect(await mcp('query-docs', { libraryId: '/acme/first', query: 'x' })).toBe(text)
})

test('a failed first parse is deleted like a library, and a successful parse replaces it', async () => {
  await fail()
  expect(await remove()).toMatchObject({ status: 200, body: { message: '/acme/first is deleted.' } })
  expect(await ids()).toEqual([])
  expect(await get()).toMatchObject({ status: 404, body: { error: 'library_not_found' } })
  expect((await search()).message).not.toContain('/acme/first')
  await fail()
  app.git.misbehave('acme/first')
  await app.parse('acme/first')
  expect(await ids()).toEqual(['/acme/first finalized'])
  expect((await get()).body).not.toHaveProperty('statusMessage')
})

const refresh = (key?: string, id = 'acme/first') => app.json(`/api/projects/${id}/refresh`, { method: 'POST', key })
const refreshV1 = (key?: string) => app.json('/api/v1/refresh', { method: 'POST', key, body: { libraryName: '/acme/first' } })

test('a refresh of a library whose first parse failed parses it with the original request', async () => {
  const files = { 'README.md': '# First\n', 'docs/a.md': '# A\n\nAbout wheels.\n', 'src/b.md': '# B\n\nAbout cranks.\n' }
  await app.git.create('acme/second', { files, tags: ['v1'] })
  app.git.misbehave('acme/second', { kind: 'status', status: 404 })
  const choice = { versions: ['v1'], excludeFolders: ['src'] }
  const body = { repoUrl: `${app.git.url}/acme/second/tree/main`, ...choice }
  const { queueId } = (await app.json('/api/parse', { method: 'POST', key: app.keys.member, body })).body as { queueId: number }
  expect(await app.ended(queueId)).toMatchObject({ state: 'failed' })
  app.git.misbehave('acme/second')
  const queued = await refresh(app.keys.member, 'acme/second')
  expect(queued).toMatchObject({ status: 202, body: { message: 'Refresh queued', project: '/acme/second' } })
  expect(await app.ended((queued.body as { queueId: number }).queueId)).toMatchObject({ state: 'done' })
  expect(app.app.catalog.settings({ owner: 'acme', repo: 'second' })).toMatchObject({ branch: 'main', ...choice })
  expect((await get('acme/second')).body).toMatchObject({ state: 'finalized', versions: ['v1'] })
})

test('a refresh during an unfinished first parse waits for it, like any other', async () => {
  await stall()
  for (const each of [await refresh(app.keys.member), await refreshV1(app.keys.member)])
    expect(each).toMatchObject({ status: 409, body: { error: 'job_active', project: '/acme/first', status: 'parsing' } })
})

test('a library whose first parse failed has the same refresh permission as any other', async () => {
  await fail()
  for (const each of [refresh, refreshV1]) expect((await each()).status).toBe(401)
  app.app.settings.change({ 'permissions.anonymousParse': true })
  for (const each of [refresh, refreshV1]) expect((await each()).status).toBe(401)
  app.app.settings.change({ 'permissions.anonymousRefresh': true })
  expect(await refresh()).toMatchObject({ status: 401, body: { message: expect.stringContaining('is not public') } })
  app.git.misbehave('acme/first')
  app.app.settings.change({ 'permissions.requireMcpAuth': true })
  const withheld = await refresh(undefined, 'acme/nothing')
  expect(withheld.status).toBe(401)
  expect(JSON.stringify(await refresh()).replace('first', 'nothing')).toBe(JSON.stringify(withheld))
  app.app.settings.change({ 'permissions.requireMcpAuth': false })
  expect((await refreshV1()).status).toBe(200)
  expect(app.app.jobs.active()[0]?.project).toBe('/acme/first')
  await expect.poll(() => ids(), { interval: 10 }).toEqual(['/acme/first finalized'])
})

test('a failed first import is imported again, not refreshed', async () => {
  const request = { staged: 'nothing', origin: 'a test' }
  const { id } = app.app.jobs.enqueue({ library: { owner: 'acme', repo: 'first' }, kind: 'import', request })
  app.app.jobs.finish(id, { state: 'failed', error: 'data_damaged: it is damaged' })
  expect(await refresh(app.keys.member)).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})

test('a deleted library is not listed again because its last refresh failed', async () => {
  await app.parse('acme/first')
  await fail()
  expect(await ids()).toEqual(['/acme/first finalized'])
  expect((await get()).body).not.toHaveProperty('statusMessage')
  expect((await remove()).status).toBe(200)
  expect(await ids()).toEqual([])
})

test('a cancelled first parse is not listed', async () => {
  const id = await stall()
  expect((await app.json(`/api/jobs/${id}/cancel`, { method: 'POST', key: app.keys.member })).status).toBe(202)
  expect(await ids()).toEqual([])
})

test('libraries without content are sorted, searched and paged with the others', async () => {
  await app.git.create('acme/second', { files: { 'README.md': '# Second\n\nThe second of all.\n' } })
  await app.parse('acme/second')
  await stall()
  expect(await ids()).toEqual(['/acme/first processing', '/acme/second finalized'])
  expect(await ids('sort=title&order=desc')).toEqual(['/acme/second finalized', '/acme/first processing'])
  expect(await ids('q=FIRST')).toEqual(['/acme/first processing'])
  expect(await ids('page=2&pageSize=1')).toEqual(['/acme/second finalized'])
})

test('the reason of a failure contains no secret of the settings', async () => {
  app.app.settings.change({ 'github.token': 'sesame-street' })
  const request = { repoUrl: `${app.git.url}/acme/first`, force: false, anonymous: false }
  const { id } = app.app.jobs.enqueue({ library: { owner: 'acme', repo: 'first' }, kind: 'parse', request })
  app.app.jobs.finish(id, { state: 'failed', error: 'provider_unavailable: https://u:pw@host refused sesame-street' })
  expect((await get()).body).toMatchObject({
    statusMessage:
      '/acme/first has no content: job 1 could not add it. https://***@host refused ***. Add it again, or delete it.',
  })
})

test('anonymous callers see only first parses that they could have queued while names are withheld', async () => {
  app.app.settings.change({
    'permissions.requireMcpAuth': true,
    'permissions.anonymousParse': true,
    'permissions.anonymousDelete': true,
  })
  await app.git.create('acme/open', { files: { 'README.md': '# Open\n' } })
  app.git.misbehave('acme/first', { kind: 'stall', at: 'pack' })
  await queue('acme/first')
  await queue('acme/open', '')
  for (const path of ['projects', 'projects/acme/first', 'projects/acme/open', 'v2/libs/search?libraryName=first&query=x'])
    expect((await app.json(`/api/${path}`)).status).toBe(401)
  const nobody = (id: string) => app.json(`/api/projects/${id}`, { method: 'DELETE' })
  const withheld = await nobody('acme/nothing')
  expect(withheld.status).toBe(401)
  expect(JSON.stringify(await nobody('acme/first')).replace('first', 'nothing')).toBe(JSON.stringify(withheld))
  expect(await nobody('acme/open')).toMatchObject({ status: 409, body: { error: 'job_active' } })
  expect(await ids('', app.keys.member)).toEqual(['/acme/first processing', '/acme/open processing'])
})
