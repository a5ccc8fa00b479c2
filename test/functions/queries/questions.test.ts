import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
let own: string
let strange: string
const question = 'How do I turn the lever?'

beforeAll(async () => {
  hosted = await testHosted()
  own = (await hosted.keyOf('Acme')).key
  strange = (await hosted.keyOf('Strangers')).key
  await hosted.git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever of widgets.\n' } })
  await hosted.add('acme/widgets')
  await hosted.git.create('acme/secret', { files: { 'README.md': '# Secret widgets\n\nTurn the secret lever.\n' } })
  await hosted.add('acme/secret', { private: true, teamspace: 'Acme' })
})
afterAll(() => hosted.close())

const bearer = (key: string | undefined): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` })

async function ask(path: string, query: Record<string, string>, key?: string): Promise<{ status: number; body: string }> {
  const answer = await hosted.get(`${path}?${new URLSearchParams(query)}`, bearer(key))
  return { status: answer.status, body: await answer.text() }
}

const search = (libraryName: string, key?: string) => ask('/api/v2/libs/search', { libraryName }, key)
const context = (libraryId: string, key?: string) => ask('/api/v2/context', { libraryId, query: question }, key)

async function mcp(name: string, args: Record<string, string>, key?: string): Promise<string> {
  const answer = await fetch(`${hosted.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...bearer(key) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
  return answer.text()
}

async function license(kind: 'online' | 'offline', more: { id?: string; expiresAt?: string } = {}): Promise<string> {
  const claims = { id: `l-${Math.random()}`, customer: 'Example', kind, expiresAt: '2099-01-01T00:00:00.000Z', ...more }
  return signLicense(claims, developmentPair(hosted.dataDir, 'license').privatePem)
}

test.each([
  ['acme/widgets', 200],
  ['/acme/widgets/', 200],
  ['`/acme/widgets`', 200],
  ['https://github.com/acme/widgets', 200],
  ['/acme/widgets/1.0.0', 404],
  ['widgets', 400],
])('a request for the id %s gets %i', async (id, status) => {
  expect((await context(id)).status).toBe(status)
})

test('a library that shares only the owner is marked as no exact match, as JSON and for agents', async () => {
  const { body } = await search('acme/gears')
  expect(JSON.parse(body)).toMatchObject({ exact: false, results: [{ id: '/acme/widgets', exact: false, sameOwner: true }] })
  const text = await mcp('resolve-library-id', { libraryName: 'acme/gears', query: question })
  expect(text).toContain('Available Libraries:\\n\\nNo exact match; of the same owner:\\n\\n- Title: Widgets')
})

test('the list of libraries has the number of snippets with code', async () => {
  const code = '```js\nturn("mixed lever")\n```'
  const text = `# Mixed\n\nA lever.\n\n## Turn\n\nTurn the mixed lever.\n\n${code}\n\n## History\n\nLevers are old.\n`
  await hosted.git.create('acme/mixed', { files: { 'README.md': text } })
  await hosted.add('acme/mixed', { private: true, teamspace: 'Acme' })
  await vi.waitFor(async () => expect((await search('mixed', own)).body).toContain('/acme/mixed'), 120_000)
  expect(JSON.parse((await search('mixed', own)).body).results[0]).toMatchObject({ totalSnippets: 3, codeSnippets: 1 })
  expect(await mcp('resolve-library-id', { libraryName: 'mixed', query: question }, own)).toContain('Code Snippets: 1\\n')
})

describe('a private library', () => {
  test('is found and served with a key of its teamspace', async () => {
    expect((await search('secret', own)).body).toContain('/acme/secret')
    expect((await context('/acme/secret', own)).body).toContain('Turn the secret lever')
    expect(await mcp('resolve-library-id', { libraryName: 'secret', query: question }, own)).toContain('/acme/secret')
    expect(await mcp('query-docs', { libraryId: '/acme/secret', query: question }, own)).toContain('Turn the secret lever')
  })

  test.each([
    ['nobody', () => Promise.resolve(undefined)],
    ['a key of another teamspace', () => Promise.resolve(strange)],
    ['a license', () => license('online')],
  ])('is hidden from %s, with a version or without', async (_who, keyOf) => {
    const key = await keyOf()
    expect((await search('secret', key)).body).not.toContain('/acme/secret')
    const unknown = JSON.parse((await context('/acme/unknown', key)).body)
    for (const id of ['/acme/secret', '/acme/secret@v9']) {
      const answer = await context(id, key)
      expect(answer.status).toBe(404)
      expect(JSON.parse(answer.body)).toEqual({ ...unknown, message: unknown.message.replace('/acme/unknown', '/acme/secret') })
    }
    const found = await mcp('resolve-library-id', { libraryName: 'secret widgets', query: question }, key)
    expect(found).not.toContain('/acme/secret')
    expect(await mcp('query-docs', { libraryId: '/acme/secret', query: question }, key)).not.toContain('lever')
  })
})

test('a private library is found only by its new owner after a change of the owner', async () => {
  await hosted.git.create('acme/given', { files: { 'README.md': '# Given\n\nTurn the given lever.\n' } })
  await hosted.add('acme/given', { private: true, teamspace: 'Acme' })
  await vi.waitFor(async () => expect((await search('given', own)).body).toContain('/acme/given'), 120_000)
  await hosted.run('own', { library: '/acme/given', teamspace: 'Strangers' })
  await vi.waitFor(async () => expect((await search('given', strange)).body).toContain('/acme/given'), 120_000)
  expect((await search('given', own)).body).not.toContain('/acme/given')
  expect((await context('/acme/given', own)).status).toBe(404)
})

test('a private library can be added again with another owner after a failed first parse', async () => {
  await hosted.git.create('acme/second', { files: { 'main.c': 'int main() {}' } })
  expect(await hosted.add('acme/second')).toMatchObject({ state: 'error' })
  await hosted.git.commit('acme/second', { files: { 'README.md': '# Second\n\nTurn the second lever.\n' } })
  await hosted.add('acme/second', { private: true, teamspace: 'Acme' })
  expect((await context('/acme/second', own)).status).toBe(200)
  expect((await context('/acme/second')).status).toBe(404)
})

describe('an invalid key', () => {
  test.each([
    ['of an install', 'carrel_op_abcdef'],
    ['of another service', 'ctx7sk-00000000'],
    ['with a wrong checksum', 'carrel_sk_0000000000000000000000000000000000000000000000000'],
    ['that is no license', 'a.b.c'],
    ['of 100 kB', 'x'.repeat(10_000)],
  ])('is rejected also on anonymous routes if it is one %s', async (_what, key) => {
    for (const answer of [await search('widgets', key), await context('/acme/widgets', key)]) {
      expect(answer.status).toBe(401)
      expect(JSON.parse(answer.body)).toMatchObject({ error: 'invalid_api_key', message: expect.stringContaining('carrel_sk_') })
    }
    expect(await mcp('query-docs', { libraryId: '/acme/widgets', query: question }, key)).toContain('"code":-32001')
  })

  test('is rejected also on anonymous routes if it is a forged or expired license', async () => {
    const expired = await license('online', { expiresAt: '2020-01-01T00:00:00.000Z' })
    const forged = `${(await license('online')).slice(0, -6)}AAAAAA`
    for (const key of [expired, forged]) expect((await context('/acme/widgets', key)).status).toBe(401)
  })

  test('is rejected also on anonymous routes if it is a revoked license', async () => {
    const issued = { id: 'revoked', customer: 'Example', kind: 'online' as const, expiresAt: '2099-01-01T00:00:00.000Z' }
    await hosted.run('recordLicense', issued)
    const key = await license('online', { id: 'revoked' })
    expect((await context('/acme/widgets', key)).status).toBe(200)
    await hosted.run('revokeLicense', { id: 'revoked' })
    expect((await context('/acme/widgets', key)).status).toBe(401)
  })
})

describe('the policy of a license', () => {
  const policies = (key: string, body: unknown) =>
    fetch(`${hosted.url}/api/v2/policies`, {
      method: 'PATCH',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('hides a library from the searches and contexts of its license only', async () => {
    const key = await license('online', { id: 'governed' })
    const before = await (await hosted.get('/api/v2/policies', bearer(key))).json()
    expect(before).toMatchObject({ accessibleLibraryCount: 1 })
    const changed = await policies(key, {
      libraryFilters: { mode: 'quality', quality: { blockedLibraries: { add: ['/acme/widgets'] } } },
    })
    expect(await changed.json()).toMatchObject({ accessibleLibraryCount: 0 })
    expect((await search('widgets', key)).status).toBe(404)
    const refused = await context('/acme/widgets', key)
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([403, 'access_denied'])
    expect((await context('/acme/widgets')).status).toBe(200)
    expect((await context('/acme/widgets', await license('online'))).status).toBe(200)
  })

  test('is not that of a teamspace, whose key has its own', async () => {
    expect((await hosted.get('/api/v2/policies')).status).toBe(401)
    const ofTeam = await hosted.get('/api/v2/policies', bearer(own))
    expect([ofTeam.status, (await ofTeam.json()) as object]).toMatchObject([
      200,
      { libraryFilters: { mode: null, quality: { blockedLibraries: [] } } },
    ])
    expect((await policies('nonsense', {})).status).toBe(401)
  })
})

describe('a library without content', () => {
  test('returns the reason of its failed first parse', async () => {
    await hosted.git.create('acme/empty', { files: { 'main.c': 'int main() {}' } })
    expect(await hosted.add('acme/empty')).toMatchObject({ state: 'error' })
    const { status, body } = await context('/acme/empty')
    expect(status).toBe(404)
    expect(JSON.parse(body)).toMatchObject({
      error: 'library_not_found',
      message: expect.stringContaining('it could not be added. The repository holds no documentation'),
    })
    expect((await search('empty')).status).toBe(404)
  })

  test('returns the progress of its first parse', async () => {
    await hosted.git.create('acme/slow', { files: { 'README.md': '# Slow\n\nTurn it slowly.\n' } })
    hosted.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
    await hosted.run('add', { repoUrl: `${hosted.git.url}/acme/slow`, private: false })
    const { status, body } = await context('/acme/slow')
    expect(status).toBe(404)
    expect(JSON.parse(body).message).toMatch(/is being added: /)
  })
})

test('pages of any origin may send requests, and get no cookie', async () => {
  const answer = await hosted.get('/api/v2/libs/search?libraryName=widgets', { origin: 'https://elsewhere.example' })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  expect(answer.headers.get('set-cookie')).toBeNull()
  const refused = await hosted.get('/api/v2/libs/search?libraryName=widgets', {
    origin: 'https://elsewhere.example',
    ...bearer('x'),
  })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*'])
})

test('health ignores keys and counts only public libraries', async () => {
  const health = await hosted.get('/api/health', bearer('nonsense'))
  expect(await health.json()).toMatchObject({ status: 'healthy', version: '2.0.0', repos_parsed: 1 })
})

test('readiness is public', async () => {
  expect(await (await hosted.get('/api/ready')).json()).toEqual({ ready: true })
})

test('auth/mcp reports that no key is required, without a redirect', async () => {
  for (const headers of [{}, bearer('nonsense')]) {
    const answer = await fetch(`${hosted.url}/api/auth/mcp`, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'error',
    })
    expect([answer.status, await answer.json()]).toEqual([200, { enabled: false }])
  }
})

test('an unknown route is rejected with not_found', async () => {
  expect(await (await hosted.get('/api/v2/nothing')).json()).toMatchObject({ error: 'not_found' })
  expect(await (await hosted.get('/.well-known/oauth-authorization-server')).json()).toMatchObject({ error: 'not_found' })
})
