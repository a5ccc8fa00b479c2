import { createPrivateKey } from 'node:crypto'
import { Hono } from 'hono'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CallerEnv, identify, type RequiredCaller, requireCaller } from '../../../functions/access/caller.ts'
import { scopes, type Teamspaces } from '../../../functions/access/teamspaces.ts'
import { dynamoLicenses } from '../../../functions/dynamo/accounts/dynamo-licenses.ts'
import { dynamoTeamspaces } from '../../../functions/dynamo/accounts/dynamo-teamspaces.ts'
import { toHttp } from '../../../shared/http/to-http.ts'
import { keyPrefixes, makeApiKey } from '../../../shared/keys/api-key.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { type License, signLicense } from '../../../shared/keys/license.ts'
import { openTestDynamo } from '../../fixtures/dynamo.ts'

const now = () => new Date('2030-06-01T12:00:00Z')
const vendor = makeKeyPair()
const neighbour = makeKeyPair()
const stranger = makeKeyPair()
const by = { createdBy: 'test' }
const needs: RequiredCaller[] = ['anybody', 'teamspace', 'key', 'offline license']

let table: Awaited<ReturnType<typeof openTestDynamo>>
let get: (path: string, headers?: Record<string, string>) => Promise<{ status: number; body: unknown; headers: Headers }>
const ask = (needed: RequiredCaller, headers?: Record<string, string>) => get(pathOf(needed), headers)
const keys: Record<string, string> = {}
let team: string
let teamspaces: Teamspaces

const license: License = { id: 'lic-1', customer: 'ACME Ltd', kind: 'online', expiresAt: '2030-07-01T00:00:00.000Z' }
const sign = (more: Partial<License> = {}, pem = vendor.privatePem) => signLicense({ ...license, ...more }, pem)
const pathOf = (needed: RequiredCaller) => `/${needed.replace(' ', '-')}`
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = { jti: 'lic-1', sub: 'ACME', kind: 'offline', exp: 1_909_000_000 }

beforeAll(async () => {
  table = await openTestDynamo()
  teamspaces = dynamoTeamspaces({ table, now })
  const licenses = dynamoLicenses({ table, now })
  const publicPems = async () => [vendor.publicPem, ...(await licenses.trustedKeys())]
  const app = new Hono<CallerEnv>().use(identify({ teamspaces, licenses, publicPems, now }))
  for (const needed of needs) app.get(pathOf(needed), requireCaller(needed), (c) => c.json(c.get('caller')))
  for (const scope of scopes) app.get(`/scope/${scope}`, requireCaller('anybody', scope), (c) => c.json(c.get('caller')))
  app.onError((error) => {
    const { status, body, headers } = toHttp(error)
    return Response.json(body, { status, headers })
  })
  get = async (path, headers) => {
    const answer = await app.request(path, headers ? { headers } : {})
    return { status: answer.status, body: await answer.json(), headers: answer.headers }
  }

  team = (await teamspaces.create('Acme', 'team')).id
  const revoked = await teamspaces.createKey(team, by)
  await teamspaces.revokeKey(revoked.id)
  await licenses.record({ ...license, id: 'ended' })
  await licenses.revoke('ended')
  await licenses.trust(neighbour.publicPem)
  const { key } = await teamspaces.createKey(team, by)
  const online = await sign()
  const [head, , signature] = online.split('.')
  Object.assign(keys, {
    key,
    'a mistyped key': `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
    'an unknown key': makeApiKey(keyPrefixes.hosted),
    'a revoked key': revoked.key,
    'a key of the other half': makeApiKey(keyPrefixes.onprem),
    'a key of another service': 'ctx7sk-0123456789abcdef',
    'a key with more behind it': `${key}, ${key}`,
    'a name and password': 'Basic YWNtZTphY21l',
    'the prefix alone': keyPrefixes.hosted,
    'the word __proto__': '__proto__',
    'two dots': '..',
    'three words with dots': 'a.b.c',
    'a megabyte': 'x'.repeat(10_000),
    'a megabyte with two dots': `${'x'.repeat(10_000)}.y.z`,
    'a long key': keyPrefixes.hosted + '0'.repeat(9_000),
    'four parts': `${online}.more`,
    'an encrypted token of five parts': 'a.b.c.d.e',
    'an online license': online,
    'an offline license': await sign({ kind: 'offline' }),
    'a license of a trusted install': await sign({}, neighbour.privatePem),
    'a license of a stranger': await sign({}, stranger.privatePem),
    'an expired license': await sign({ expiresAt: '2030-05-01T00:00:00Z' }),
    'an expired license of a stranger': await sign({ expiresAt: '2030-05-01T00:00:00Z' }, stranger.privatePem),
    'a revoked license': await sign({ id: 'ended' }),
    'a revoked license, signed once more': await sign({ id: 'ended', customer: 'Another', kind: 'offline' }),
    'a license with changed words': [head, part(claims), signature].join('.'),
    'a license without a signature': `${part({ alg: 'none', typ: 'carrel-license+jwt' })}.${part(claims)}.`,
    'a license signed with the public key as a secret': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'carrel-license+jwt' })
      .sign(Buffer.from(vendor.publicPem)),
    'a license of ten kilobytes': await new SignJWT({ ...claims, more: 'x'.repeat(8000) })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'carrel-license+jwt' })
      .sign(createPrivateKey(vendor.privatePem)),
    'another token of the vendor': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT' })
      .sign(createPrivateKey(vendor.privatePem)),
  })
})
afterAll(() => table.close())

const bearer = (name: string) => ({ authorization: `Bearer ${keys[name]}` })

describe('the caller', () => {
  test.each<Record<string, string> | undefined>([
    undefined,
    { authorization: '' },
    { authorization: 'Bearer ' },
    { 'x-api-key': '  ' },
  ])('is anonymous if no key is sent: %j', async (headers) => {
    expect(await ask('anybody', headers)).toMatchObject({ status: 200, body: { kind: 'anonymous' } })
  })

  test.each([
    'authorization',
    'x-carrel-api-key',
    'x-context7-api-key',
    'context7-api-key',
    'x-api-key',
    'context7_api_key',
    'x_api_key',
  ])('is the teamspace of a key in the header %s', async (name) => {
    const { body } = await ask('teamspace', { [name]: keys.key ?? '' })
    expect(body).toEqual({
      kind: 'teamspace',
      teamspace: team,
      keyId: expect.stringMatching(/^[\da-f]{16}$/),
      role: 'admin',
      scope: 'admin',
    })
  })

  test('is identified by the same key in several headers, and two different ones are 400', async () => {
    const { key = '' } = keys
    const same = await ask('teamspace', { authorization: `bearer  ${key}`, 'x-api-key': key, x_api_key: ' ' })
    expect(same.body).toMatchObject({ kind: 'teamspace', teamspace: team })
    for (const other of ['nonsense', keys['an online license'] ?? '']) {
      const { status, body } = await ask('anybody', { 'context7-api-key': other, 'x-api-key': key })
      expect([status, body]).toEqual([
        400,
        {
          error: 'validation_error',
          message: expect.stringContaining('different keys'),
          fields: ['context7-api-key', 'x-api-key'].map((path) => ({ path, message: expect.any(String) })),
        },
      ])
      expect(JSON.stringify(body)).not.toContain(other)
    }
  })

  test.each(['an online license', 'a license of a trusted install'])('is the holder of %s', async (name) => {
    expect((await ask('key', bearer(name))).body).toEqual({ kind: 'license', license })
  })
})

describe('the scope of a key', () => {
  test.each([
    ['read', [200, 403, 403]],
    ['read+add', [200, 200, 403]],
    ['admin', [200, 200, 200]],
  ] as const)('admits it to the routes for at most that scope: %s', async (scope, statuses) => {
    const { key: sent } = await teamspaces.createKey(team, { ...by, scope })
    const answers = await Promise.all(scopes.map((needed) => get(`/scope/${needed}`, { authorization: `Bearer ${sent}` })))
    expect(answers.map(({ status }) => status)).toEqual(statuses)
    const rejected = answers.find(({ status }) => status === 403)
    if (rejected)
      expect(rejected.body).toEqual({
        error: 'forbidden',
        message: `This requires a key with the scope ${scope === 'read' ? 'read+add' : 'admin'}; this key has the scope ${scope}.`,
      })
  })
})

describe('the expiry of a key', () => {
  test.each([
    ['in the future', '2030-06-01T12:00:00.001Z', 200],
    ['now', '2030-06-01T12:00:00.000Z', 401],
    ['in the past', '2030-06-01T11:59:59.999Z', 401],
    ['before the epoch', '0001-01-01T00:00:00.000Z', 401],
    ['at the end of time', '9999-12-31T23:59:59.999Z', 200],
    ['at a time that cannot be read', 'soon', 401],
  ])('is checked on every route: %s', async (_when, expiresAt, status) => {
    const { key: sent } = await teamspaces.createKey(team, { ...by, expiresAt })
    for (const needed of ['anybody', 'teamspace'] as const) {
      const answer = await ask(needed, { authorization: `Bearer ${sent}` })
      expect(answer.status).toBe(status)
      if (status === 401)
        expect(answer.body).toEqual({
          error: 'invalid_api_key',
          message: 'This key has expired. Send another key of the teamspace.',
        })
    }
  })
})

describe('an invalid key', () => {
  const refused = [
    'a mistyped key',
    'an unknown key',
    'a revoked key',
    'a key of the other half',
    'a key of another service',
    'a key with more behind it',
    'a name and password',
    'the prefix alone',
    'the word __proto__',
    'two dots',
    'three words with dots',
    'a megabyte',
    'a megabyte with two dots',
    'a long key',
    'four parts',
    'an encrypted token of five parts',
    'a license of a stranger',
    'an expired license of a stranger',
    'a license with changed words',
    'a license without a signature',
    'a license signed with the public key as a secret',
    'a license of ten kilobytes',
    'another token of the vendor',
  ]
  test.each(refused)('is 401, also on routes that require none: %s', async (name) => {
    for (const needed of needs) {
      const { status, body, headers } = await ask(needed, bearer(name))
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Bearer realm="carrel"')
      expect(body).toEqual({
        error: 'invalid_api_key',
        message: 'The key or license is unknown. Keys of teamspaces begin with carrel_sk_; licenses are signed by the vendor.',
      })
    }
  })

  test.each([
    ['an expired license', 'This license has expired. Ask the vendor for a new one'],
    ['a revoked license', 'This license was revoked. Ask the vendor for a new one'],
    ['a revoked license, signed once more', 'This license was revoked. Ask the vendor for a new one'],
  ])('is reported as such if it is %s', async (name, why) => {
    for (const needed of needs) {
      const message = `${why}, or send the key of a teamspace, which begins with carrel_sk_.`
      expect(await ask(needed, bearer(name))).toMatchObject({ status: 401, body: { error: 'invalid_api_key', message } })
    }
  })
})

test('a route for the scope admin rejects the key of a developer, whatever its scope', async () => {
  const { key } = await teamspaces.createKey(team, { ...by, role: 'developer', scope: 'admin' })
  expect(await get('/scope/admin', { authorization: `Bearer ${key}` })).toMatchObject({
    status: 403,
    body: { error: 'forbidden', message: expect.stringContaining('this is the key of a developer') },
  })
})

describe('a route that requires a caller', () => {
  const statuses = async (headers?: Record<string, string>) => {
    const answers = await Promise.all(needs.map((needed) => ask(needed, headers)))
    return answers.map(({ status, body }) => (status === 200 ? status : [status, (body as { error: string }).error].join(' ')))
  }
  const no = '401 invalid_api_key'

  test.each<[string, Record<string, string> | undefined, (number | string)[]]>([
    ['nobody', undefined, [200, no, no, no]],
    ['a teamspace', { key: 'key' }, [200, 200, 200, no]],
    ['an online license', { key: 'an online license' }, [200, no, 200, '403 forbidden']],
    ['an offline license', { key: 'an offline license' }, ['403 forbidden', no, 200, 200]],
  ])('accepts only the right kind of caller: %s', async (_, key, expected) => {
    expect(await statuses(key && bearer(key.key ?? ''))).toEqual(expected)
  })

  test('tells a rejected caller what to send', async () => {
    const message = async (needed: RequiredCaller, headers?: Record<string, string>) =>
      ((await ask(needed, headers)).body as { message: string }).message
    expect(await message('teamspace')).toBe('This requires the key of a teamspace: send "Authorization: Bearer carrel_sk_…".')
    expect(await message('key')).toBe(
      'This requires the key of a teamspace, which begins with carrel_sk_, or a license, as the bearer token.',
    )
    expect(await message('offline license', bearer('key'))).toContain('This requires an offline license as the bearer token')
    expect(await message('offline license', bearer('an online license'))).toBe(
      'Exports require an offline license; this is an online license.',
    )
    expect(await message('anybody', bearer('an offline license'))).toMatch(/^An offline license is only for exports\./)
  })
})
