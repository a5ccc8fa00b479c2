import { Hono } from 'hono'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Caller, type CallerEnv, identify, requireCaller } from '../../../functions/access/caller.ts'
import { viewOf } from '../../../functions/access/visibility.ts'
import { dynamoLicenses } from '../../../functions/dynamo/accounts/dynamo-licenses.ts'
import { dynamoTeamPolicies } from '../../../functions/dynamo/accounts/dynamo-team-policies.ts'
import { dynamoTeamspaces } from '../../../functions/dynamo/accounts/dynamo-teamspaces.ts'
import { policyPorts } from '../../../functions/queries/policy-ports.ts'
import { hostedApi } from '../../../functions/routes/hosted-api.ts'
import { openapiDocument } from '../../../shared/api/openapi-document.ts'
import { policyPreviewRoutes, policyRoutes } from '../../../shared/api/policies.ts'
import { asBodyError } from '../../../shared/http/json-body.ts'
import { toHttp } from '../../../shared/http/to-http.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { type License, signLicense } from '../../../shared/keys/license.ts'
import { openPolicy } from '../../../shared/policy/policy.ts'
import type { ListedLibrary } from '../../../shared/search/libraries/catalog.ts'
import { searchLibraries } from '../../../shared/search/libraries/search-libraries.ts'
import { testDynamo } from '../../fixtures/dynamo.ts'
import { library } from '../../shared/search/shelf.ts'

const now = () => new Date('2030-06-01T12:00:00Z')
const vendor = makeKeyPair()
const license = (id: string, kind: License['kind'] = 'online'): License => ({
  id,
  kind,
  customer: 'ACME Ltd',
  expiresAt: '2030-07-01T00:00:00.000Z',
  teamspace: 'Acme',
})

const publicLibraries: ListedLibrary[] = [
  library('/acme/widgets', 'Widgets', { stars: 50, trustScore: 8 }),
  library('/other/widgets', 'Widgets', { stars: 9_000, trustScore: 3 }),
  library('/other/gadgets', 'Gadgets'),
]
let libraries: ListedLibrary[]
const names = { listed: async () => ({ libraries, revision: 1 }) }

let ask: (method: string, key?: string, body?: string, ifMatch?: string) => Promise<{ status: number; body: unknown }>
let find: (caller: Caller, libraryName: string) => Promise<[string[], boolean]>
let server: Hono<CallerEnv>
type Keys = Record<'online' | 'neighbour' | 'offline' | 'teamspace' | 'developer' | 'reader' | 'other', string>
let keys: Keys
let team: string

beforeEach(async () => {
  const table = await testDynamo()
  const [teamspaces, licenses] = [dynamoTeamspaces({ table, now }), dynamoLicenses({ table, now })]
  const publicPems = async () => [vendor.publicPem]
  const ports = { licenses, teamPolicies: dynamoTeamPolicies({ table, now }), names, now }
  server = new Hono<CallerEnv>()
  server.use(identify({ teamspaces, licenses, publicPems, now }))
  const read = requireCaller('key')
  server.route('/api', policyRoutes(policyPorts(ports), { read, change: requireCaller('key', 'admin') }))
  server.route('/api', policyPreviewRoutes(policyPorts(ports), read))
  server.onError((thrown) => {
    const { status, body } = toHttp(asBodyError(thrown))
    return Response.json(body, { status })
  })
  team = (await teamspaces.create('Acme', 'enterprise')).id
  libraries = [...publicLibraries, { ...library('/acme/widgets-plan', 'Widgets plan', { trustScore: 10 }), privateTo: team }]
  const other = (await teamspaces.create('Other', 'free')).id
  const keyOf = async (id: string, rights = {}) => (await teamspaces.createKey(id, { createdBy: 'test', ...rights })).key
  keys = {
    online: await signLicense(license('lic-1'), vendor.privatePem),
    neighbour: await signLicense(license('lic-2'), vendor.privatePem),
    offline: await signLicense(license('lic-3', 'offline'), vendor.privatePem),
    teamspace: await keyOf(team),
    developer: await keyOf(team, { role: 'developer' }),
    reader: await keyOf(team, { scope: 'read' }),
    other: await keyOf(other),
  }
  ask = async (method, key, body, ifMatch) => send('/api/v2/policies', method, key, body, ifMatch)
  const send = async (path: string, method: string, key?: string, body?: string, ifMatch?: string) => {
    const headers = {
      'content-type': 'application/json',
      ...(key && { authorization: `Bearer ${key}` }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    }
    const answer = await server.request(path, { method, headers, body })
    return { status: answer.status, body: await answer.json() }
  }
  find = async (caller, libraryName) => {
    const { results, searchFilterApplied } = await searchLibraries(
      { catalog: names },
      { libraryName },
      await viewOf(ports, caller),
    )
    return [results.map(({ id }) => id), searchFilterApplied]
  }
})

const preview = async (body: unknown, key: string) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const answer = await server.request('/api/v2/policies/preview', { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json() }
}
const patch = (body: unknown, key = keys.online) => ask('PATCH', key, JSON.stringify(body))
const quality = (body: object) => ({ libraryFilters: { mode: 'quality', quality: body } })

describe('GET /v2/policies', () => {
  test('returns an open policy for a license without one, and the number of public libraries', async () => {
    const expected = { status: 200, body: { ...openPolicy(), accessibleLibraryCount: 3, unknownSignals: [] } }
    expect(await ask('GET', keys.online)).toEqual(expected)
    expect(await ask('GET', keys.offline)).toEqual(expected)
  })

  test('requires a key, and reads no body before', async () => {
    for (const method of ['GET', 'PATCH']) {
      const body = method === 'PATCH' ? 'no JSON' : undefined
      for (const key of [undefined, 'nonsense'])
        expect(await ask(method, key, body)).toMatchObject({ status: 401, body: { error: 'invalid_api_key' } })
    }
  })

  test('returns to every key of a teamspace its policy, and counts the private libraries of the teamspace', async () => {
    await patch(quality({ blockedLibraries: { add: ['/other'] } }), keys.teamspace)
    const seen = await ask('GET', keys.developer)
    expect(seen).toEqual(await ask('GET', keys.teamspace))
    expect(seen).toMatchObject({ status: 200, body: { libraryFilters: { mode: 'quality' }, accessibleLibraryCount: 2 } })
    expect(await ask('GET', keys.online)).toMatchObject({ body: { libraryFilters: { mode: null } } })
  })
})

describe('PATCH /v2/policies', () => {
  test('rejects a change that is based on an older policy, with the names that changed', async () => {
    const { headers } = await server.request('/api/v2/policies', { headers: { authorization: `Bearer ${keys.online}` } })
    const etag = headers.get('etag') ?? ''
    const change = (body: unknown) => ask('PATCH', keys.online, JSON.stringify(body), etag)
    expect((await change(quality({ minTrustScore: 4 }))).status).toBe(200)
    const stored = await ask('GET', keys.online)
    expect(await change({ sourceTypes: { disable: ['websites'] } })).toMatchObject({
      status: 412,
      body: { error: 'precondition_failed', names: ['libraryFilters.mode', 'libraryFilters.quality.minTrustScore'] },
    })
    expect(await ask('GET', keys.online)).toEqual(stored)
  })

  test('changes the policy of the license and returns it', async () => {
    const changed = await patch(quality({ minTrustScore: 4 }))
    expect(changed).toMatchObject({
      status: 200,
      body: {
        libraryFilters: { mode: 'quality', quality: { minTrustScore: 4 } },
        accessibleLibraryCount: 2,
        unknownSignals: [{ filter: 'minTrustScore', libraries: 1 }],
      },
    })
    expect(await ask('GET', keys.online)).toEqual(changed)
    expect(await ask('GET', keys.neighbour)).toMatchObject({ body: { accessibleLibraryCount: 3 } })
  })

  test('a change for a teamspace needs the key of an owner or admin with the scope admin, before the body is read', async () => {
    for (const key of [keys.developer, keys.reader])
      expect(await ask('PATCH', key, 'no JSON')).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect(await patch({ sourceTypes: { disable: ['websites'] } }, keys.teamspace)).toMatchObject({ status: 200 })
    expect(await ask('GET', keys.other)).toMatchObject({ body: { sourceTypes: { websites: { enabled: true } } } })
  })

  test('a change for a teamspace is refused if it is based on an older policy', async () => {
    const { headers } = await server.request('/api/v2/policies', { headers: { authorization: `Bearer ${keys.teamspace}` } })
    const etag = headers.get('etag') ?? ''
    const change = () => ask('PATCH', keys.teamspace, JSON.stringify({ sourceTypes: { disable: ['websites'] } }), etag)
    expect(await change()).toMatchObject({ status: 200 })
    expect(await change()).toMatchObject({ status: 412, body: { names: ['sourceTypes.websites.enabled'] } })
  })

  test.each([
    ['what is no JSON', '{"sourceTypes": '],
    ['no object', '[]'],
    ['nothing to change', '{}'],
    ['a type that is enabled and disabled', '{"sourceTypes": {"enable": ["websites"], "disable": ["websites"]}}'],
    ['a misspelt field', '{"libraryFilter": {"mode": null}}'],
    ['__proto__', '{"__proto__": {"sourceTypes": {}}}'],
    ['a list of 100,000', JSON.stringify(quality({ blockedLibraries: { add: Array(100_000).fill('') } }))],
  ])('rejects %s with a short sentence and changes nothing', async (_, body) => {
    const refused = await ask('PATCH', keys.online, body)
    expect(refused).toMatchObject({ status: 400, body: { error: 'validation_error' } })
    expect(JSON.stringify(refused).length).toBeLessThan(400)
    expect(await ask('GET', keys.online)).toMatchObject({ body: openPolicy() })
  })

  test('rejects more than a megabyte', async () => {
    expect(await ask('PATCH', keys.online, JSON.stringify({ x: 'x'.repeat(1_100_000) }))).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    })
  })
})

describe('POST /v2/policies/preview', () => {
  const change = quality({ minTrustScore: 4 })

  test.each(['online', 'teamspace', 'developer'] as const)(
    'counts what a change would allow, and stores nothing: %s',
    async (name) => {
      const before = await ask('GET', keys[name])
      const seen = await preview(change, keys[name])
      expect(seen).toMatchObject({ status: 200, body: { libraryFilters: { quality: { minTrustScore: 4 } } } })
      expect((seen.body as { accessibleLibraryCount: number }).accessibleLibraryCount).toBe(name === 'online' ? 2 : 3)
      expect(await ask('GET', keys[name])).toEqual(before)
    },
  )
})

describe('a search', () => {
  const key = { kind: 'teamspace', keyId: 'k', role: 'admin', scope: 'admin' } as const
  const online: Caller = { kind: 'license', license: license('lic-1') }

  test('finds private libraries only with keys of their teamspace', async () => {
    expect(await find({ kind: 'anonymous' }, 'widgets')).toEqual([['/other/widgets', '/acme/widgets'], false])
    expect(await find(online, 'widgets')).toEqual([['/other/widgets', '/acme/widgets'], false])
    expect(await find({ ...key, teamspace: 'Other' }, 'widgets plan')).toEqual(await find({ kind: 'anonymous' }, 'widgets plan'))
    const [found] = await find({ ...key, teamspace: team }, 'widgets plan')
    expect(found[0]).toBe('/acme/widgets-plan')
  })

  test('follows the policy of its teamspace at once, and no other key does', async () => {
    expect(await find({ ...key, teamspace: team }, 'gadgets')).toEqual([['/other/gadgets'], false])
    await patch(quality({ blockedLibraries: { add: ['/other'] } }), keys.teamspace)
    expect(await find({ ...key, teamspace: team }, 'widgets')).toEqual([['/acme/widgets'], true])
    for (const caller of [{ kind: 'anonymous' }, { ...key, teamspace: 'Other' }, online] as Caller[])
      expect(await find(caller, 'widgets')).toEqual([['/other/widgets', '/acme/widgets'], false])
  })

  test('reports that the policy of a license hides a library, and hides it only from that license', async () => {
    await patch(quality({ minTrustScore: 4 }))
    expect(await find(online, 'widgets')).toEqual([['/acme/widgets'], true])
    expect(await find({ kind: 'license', license: license('lic-2') }, 'widgets')).toEqual([
      ['/other/widgets', '/acme/widgets'],
      false,
    ])
    expect(await find(online, 'gadgets')).toEqual([['/other/gadgets'], false])
  })

  test('reports that the policy hides the match if there are no other results', async () => {
    await patch(quality({ blockedLibraries: { add: ['/other/gadgets'] } }))
    await expect(find(online, 'gadgets')).rejects.toMatchObject({
      code: 'no_libraries_found',
      fields: { searchFilterApplied: true },
    })
  })

  test('finds everything again after the mode is cleared', async () => {
    await patch(quality({ blockedLibraries: { add: ['/other'] } }))
    expect(await find(online, 'widgets')).toEqual([['/acme/widgets'], true])
    await patch({ libraryFilters: { mode: null } })
    expect(await find(online, 'widgets')).toEqual([['/other/widgets', '/acme/widgets'], false])
  })
})

type Operation = { operationId: string; tags: string[]; requestBody?: object }

test('reading and changing are described, with lists of strings', async () => {
  const document = await openapiDocument(hostedApi, server.routes)
  const { paths } = document as { paths: Record<string, { get: Operation; patch: Operation }> }
  const { get, patch } = paths['/v2/policies'] ?? {}
  expect([get?.operationId, patch?.operationId, get?.tags, patch?.tags]).toEqual([
    'getPolicies',
    'updatePolicies',
    ['Policies'],
    ['Policies'],
  ])
  const text = JSON.stringify(patch?.requestBody)
  expect(text.match(/"maxItems":1000,"type":"array","items":\{"type":"string"\}/g)).toHaveLength(8)
  expect(text.match(/"items":\{"type":"string","enum":\["public_repos",[^\]]*"llmstxt"\]\}/g)).toHaveLength(2)
})
