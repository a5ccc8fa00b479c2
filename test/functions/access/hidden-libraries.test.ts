import type { Context } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallerEnv } from '../../../functions/access/caller.ts'
import { addPorts } from '../../../functions/jobs/add-ports.ts'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { type License, signLicense } from '../../../shared/keys/license.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
const keys: Record<string, string | undefined> = { nobody: undefined }

beforeAll(async () => {
  hosted = await testHosted()
  keys['another teamspace'] = (await hosted.keyOf('Strangers')).key
  await hosted.keyOf('Acme')
  await hosted.git.create('acme/secret', {
    files: { 'README.md': '# Secret\n\nTurn the lever.\n', 'carrel.json': '{"previousVersions":[{"tag":"v1"}]}' },
    tags: ['v1'],
  })
  await hosted.add('acme/secret', { private: true, teamspace: 'Acme' })
  await hosted.git.create('acme/unread', { files: { 'main.c': 'int main() {}' } })
  expect(await hosted.add('acme/unread', { private: true, teamspace: 'Acme' })).toMatchObject({ state: 'error' })
  const pem = developmentPair(hosted.dataDir, 'license').privatePem
  const license = (kind: License['kind']) =>
    signLicense({ id: kind, customer: 'Example', kind, teamspace: 'Acme', expiresAt: '2099-01-01T00:00:00.000Z' }, pem)
  keys['an online license'] = await license('online')
  keys['an offline license'] = await license('offline')
})
afterAll(() => hosted.close())

type Asking = { method?: string; path: string; body?: unknown }

const get = (path: string, query: Record<string, string>): Asking => ({ path: `${path}?${new URLSearchParams(query)}` })
const post = (path: string, body: unknown): Asking => ({ method: 'POST', path, body })
const tool = (name: string, args: Record<string, string>) =>
  post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

const asked: Record<string, (id: string) => Asking> = {
  context: (id) => get('/api/v2/context', { libraryId: id, query: 'lever' }),
  'context of a version': (id) => get('/api/v2/context', { libraryId: `${id}@v1`, query: 'lever' }),
  'context of a version as a segment': (id) => get('/api/v2/context', { libraryId: `${id}/v1`, query: 'lever' }),
  'context of a version with a slash': (id) => get('/api/v2/context', { libraryId: `${id}@v1~2`, query: 'lever' }),
  'context in capitals': (id) => get('/api/v2/context', { libraryId: id.toUpperCase(), query: 'lever', type: 'json' }),
  'context of several': (id) => get('/api/v2/context', { libraryIds: `${id},${id}@v1`, query: 'lever' }),
  'question to all': (id) => get('/api/v2/search', { query: id }),
  pages: (id) => get(`/api/v2/libs${id}/pages`, {}),
  page: (id) => get(`/api/v2/libs${id}/pages/README.md`, {}),
  search: (id) => get('/api/v2/libs/search', { libraryName: id.slice(1), query: 'lever' }),
  metrics: (id) => get('/api/v2/libs/metrics', { libraryId: id }),
  'metrics of a version': (id) => get('/api/v2/libs/metrics', { libraryId: `${id}@v9` }),
  refresh: (id) => post('/api/v1/refresh', { libraryName: id }),
  'refresh of a branch': (id) => post('/api/v1/refresh', { libraryName: id, branch: 'main' }),
  'refresh of a version': (id) => post('/api/v1/refresh', { libraryName: `${id}@v1` }),
  add: (id) => post('/api/v2/add/repo/github', { docsRepoUrl: hosted.git.url + id }),
  'add in capitals': (id) => post('/api/v2/add/repo/github', { docsRepoUrl: hosted.git.url + id.toUpperCase() }),
  'add of a branch': (id) => post('/api/v2/add/repo/github', { docsRepoUrl: `${hosted.git.url}${id}/tree/v1` }),
  'add on another host': (id) => post('/api/v2/add/repo/gitlab', { docsRepoUrl: hosted.git.url + id }),
  export: (id) => post('/api/v1/enterprise/export', { library: id }),
  'export of a version': (id) => post('/api/v1/enterprise/export', { library: `${id}@v1` }),
  'resolve-library-id': (id) => tool('resolve-library-id', { libraryName: id.slice(1), query: 'lever' }),
  'list-pages': (id) => tool('list-pages', { libraryId: id }),
  'read-page': (id) => tool('read-page', { libraryId: id, path: 'README.md' }),
  'query-docs': (id) => tool('query-docs', { libraryId: id, query: 'lever' }),
}

async function ask({ method, path, body }: Asking, key: string | undefined) {
  const answer = await fetch(hosted.url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const kept = [...answer.headers].filter(([name]) => !['x-request-id', 'date', 'content-length'].includes(name))
  return { status: answer.status, headers: kept, body: (await answer.text()).replaceAll(/secret|unread|absent/gi, 'library') }
}

describe('a private library', () => {
  test.each(
    Object.keys(asked).flatMap((what) =>
      ['nobody', 'another teamspace', 'an online license', 'an offline license'].map((who) => [what, who]),
    ),
  )('looks like a missing one in %s, for %s', async (what = '', who = '') => {
    const absent = await ask(asked[what]?.('/acme/absent') ?? { path: '' }, keys[who])
    const before = hosted.git.requests.length
    for (const id of ['/acme/secret', '/acme/unread'])
      expect(await ask(asked[what]?.(id) ?? { path: '' }, keys[who]), id).toEqual(absent)
    const isAddedByATeamspace = what.startsWith('add') && who === 'another teamspace' && !what.includes('another host')
    expect(hosted.git.requests.length - before > 0).toBe(isAddedByATeamspace)
  })
})

test.each([
  ['the same host', 'github'],
  ['another host', 'gitlab'],
] as const)('a private library that another teamspace adds from %s at the same moment stays hidden', async (_where, platform) => {
  const gitlab = { baseUrl: `${hosted.git.url}/elsewhere` }
  if (platform === 'gitlab') await hosted.git.create('elsewhere/acme/secret', { files: { 'README.md': '# Another\n' } })
  let reads = 0
  const ports = addPorts({
    ...hosted.hosted,
    gitHosts: () => ({ ...hosted.hosted.gitHosts(), gitlab }),
    catalog: {
      ...hosted.hosted.catalog,
      record: async (id) => (reads++ === 0 ? undefined : hosted.hosted.catalog.record(id)),
    },
  })
  const call = { get: () => ({ kind: 'teamspace', teamspace: 'Strangers', keyId: 'k' }) } as unknown as Context<CallerEnv>
  const docsRepoUrl = `${platform === 'gitlab' ? gitlab.baseUrl : hosted.git.url}/acme/secret`
  await expect(ports.add({ docsRepoUrl }, platform, call)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('its id is not available'),
  })
})
