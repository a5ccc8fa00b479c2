import { createHash } from 'node:crypto'
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUser } from '../../fixtures/create-user.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { addIssuer } from '../../fixtures/single-sign-on.ts'
import { type InstallOptions, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const redirectUri = 'http://127.0.0.1:7777/callback'
const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')

async function installWithUser(options: InstallOptions = {}) {
  const install = await testInstall(options)
  onTestFinished(install.close)
  addIssuer(install, { name: 'corp', issuer: 'http://127.0.0.1:9', clientId: 'carrel' }, 'secret')
  const pair = { username: 'ann', password: 'a long password' }
  const userId = await createUser(install, { ...pair, role: 'member' })
  const cookie = await signIn(install, pair)
  return { install, userId, cookie }
}

const register = async ({ ask }: TestInstall, body: unknown, key?: string) => {
  const response = await ask('/mcp/oauth/register', {
    method: 'POST',
    ...(key && { key }),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

const authorize = ({ ask }: TestInstall, parameters: Record<string, string>) =>
  ask(`/mcp/oauth/authorize?${new URLSearchParams(parameters)}`, { redirect: 'manual' })

async function decide({ ask, url }: TestInstall, location: string, cookie: string, allow = true) {
  const id = new URL(location, url).searchParams.get('request') ?? ''
  const response = await ask(`/api/oauth/requests/${id}`, {
    method: 'POST',
    headers: { cookie, origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ allow }),
  })
  return { status: response.status, next: ((await response.json()) as { next?: string }).next ?? '' }
}

const exchange = async ({ ask }: TestInstall, form: Record<string, string>) => {
  const response = await ask('/mcp/oauth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams(form)),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

/** A client with a code that the user has allowed. */
async function allowed(options: InstallOptions = {}) {
  const { install, cookie, userId } = await installWithUser(options)
  const { body } = await register(install, { client_name: 'Editor', redirect_uris: [redirectUri] })
  const clientId = body.client_id ?? ''
  const asked = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'st',
  }
  const location = (await authorize(install, asked)).headers.get('location') ?? ''
  const { next } = await decide(install, location, cookie)
  const code = new URL(next).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri, code, code_verifier: verifier }
  return { install, cookie, userId, clientId, asked, next, form }
}

const listTools = ({ ask }: TestInstall, token: string) =>
  ask('/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })

test('no route of OAuth exists without an issuer of single sign-on, and a 401 names no metadata', async () => {
  const install = await testInstall()
  onTestFinished(install.close)
  install.app.settings.change({ 'permissions.requireMcpAuth': true })
  for (const path of ['oauth-protected-resource', 'oauth-protected-resource/mcp', 'oauth-authorization-server']) {
    const response = await install.ask(`/.well-known/${path}`)
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: 'not_found', message: `There is no GET /.well-known/${path}.` },
    ])
  }
  expect((await install.ask('/mcp/oauth/authorize')).status).toBe(404)
  expect((await listTools(install, '')).headers.get('www-authenticate')).toBe('Bearer realm="carrel"')
})

test('the client of the MCP SDK signs in, calls a tool, renews its token and is refused after its access ends', async () => {
  const { install, cookie, userId } = await installWithUser()
  install.app.settings.change({ 'permissions.requireMcpAuth': true })
  let tokens: OAuthTokens | undefined
  let registered: OAuthClientInformationMixed | undefined
  let codeVerifier = ''
  let code = ''
  const provider: OAuthClientProvider = {
    redirectUrl: redirectUri,
    clientMetadata: { client_name: 'SDK', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
    clientInformation: () => registered,
    saveClientInformation(information) {
      registered = information
    },
    tokens: () => tokens,
    saveTokens(saved) {
      tokens = saved
    },
    saveCodeVerifier(saved) {
      codeVerifier = saved
    },
    codeVerifier: () => codeVerifier,
    async redirectToAuthorization(address) {
      const { headers } = await fetch(address, { redirect: 'manual' })
      const { next } = await decide(install, headers.get('location') ?? '', cookie)
      code = new URL(next).searchParams.get('code') ?? ''
    },
  }
  const serverUrl = new URL(`${install.url}/mcp`)
  expect(await auth(provider, { serverUrl })).toBe('REDIRECT')
  expect(await auth(provider, { serverUrl, authorizationCode: code })).toBe('AUTHORIZED')
  const connect = async () => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    const transport = new StreamableHTTPClientTransport(serverUrl, { authProvider: provider })
    await client.connect(transport as Parameters<Client['connect']>[0])
    return client
  }
  const client = await connect()
  expect((await client.listTools()).tools.length).toBeGreaterThan(1)
  await client.close()
  const before = tokens?.access_token
  expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED')
  expect(tokens?.access_token).not.toBe(before)
  const headers = { cookie }
  const { grants } = (await (await install.ask('/api/account/grants', { headers })).json()) as {
    grants: { id: string; client: string }[]
  }
  expect(grants).toMatchObject([{ client: 'SDK' }])
  expect(install.app.oauth.end(userId, grants[0]?.id ?? '')).toBe(true)
  expect((await listTools(install, tokens?.access_token ?? '')).status).toBe(401)
})

describe('metadata', () => {
  test('a 401 of /mcp names the metadata, which name the server and this resource', async () => {
    const { install } = await installWithUser()
    install.app.settings.change({ 'permissions.requireMcpAuth': true })
    const header = (await listTools(install, '')).headers.get('www-authenticate') ?? ''
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(header) ?? []
    expect(address).toBe(`${install.url}/.well-known/oauth-protected-resource/mcp`)
    expect(await (await fetch(address)).json()).toMatchObject({
      resource: `${install.url}/mcp`,
      authorization_servers: [install.url],
    })
    const server = await (await install.ask('/.well-known/oauth-authorization-server')).json()
    expect(server).toMatchObject({ issuer: install.url, code_challenge_methods_supported: ['S256'] })
  })
})

describe('a redirect address', () => {
  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://example.com/callback',
    'https://user:pass@example.com/',
    'https://example.com/#fragment',
    'file:///etc/passwd',
    '/callback',
    'https://example.com/ space',
  ])('%s is not registered', async (uri) => {
    const { install } = await installWithUser()
    expect(await register(install, { redirect_uris: [uri] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    })
  })

  test.each([
    ['https://example.com/callback', 'https://example.com/callback/'],
    ['https://example.com/callback', 'https://example.com/callback?next=x'],
    ['https://example.com/callback', 'https://example.com.evil.example/callback'],
    ['https://example.com/callback', 'https://EXAMPLE.com/callback'],
    ['https://example.com/callback', 'https://example.com:444/callback'],
    ['https://example.com/callback', 'https://example.com/a/../callback'],
    ['http://127.0.0.1:7777/callback', 'http://127.0.0.1:7777/other'],
    ['http://127.0.0.1:7777/callback', 'http://localhost:7777/callback'],
    ['http://127.0.0.1:7777/callback', 'http://127.0.0.1:7777@evil.example/callback'],
    ['http://127.0.0.1:7777/callback', 'http://127.0.0.1.evil.example:7777/callback'],
    ['cursor://editor/callback', 'cursor://editor/callback2'],
  ])('%s is not matched by %s, and nobody is sent there', async (registered, sent) => {
    const { install } = await installWithUser()
    const { body } = await register(install, { redirect_uris: [registered] })
    const response = await authorize(install, { client_id: body.client_id ?? '', redirect_uri: sent, response_type: 'code' })
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })

  test('another port of the own machine is matched', async () => {
    const { install, asked } = await allowed()
    const response = await authorize(install, { ...asked, redirect_uri: 'http://127.0.0.1:50123/callback' })
    expect(response.headers.get('location')).toContain('/allow-client?request=')
  })
})

test('revoking all keys of a user ends the access of clients', async () => {
  const { install, userId, form } = await allowed()
  expect((await exchange(install, form)).status).toBe(200)
  expect(install.app.oauth.list(userId)).toHaveLength(1)
  await install.call('PATCH', `/api/users/${userId}`, { revokeKeys: true })
  expect(install.app.oauth.list(userId)).toEqual([])
})

describe('a request', () => {
  test.each([
    ['without PKCE', { code_challenge: '' }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['for another resource', { resource: 'https://example.com/mcp' }, 'invalid_target'],
  ])('%s is refused at the redirect address', async (_, change, error) => {
    const { install, asked } = await allowed()
    const address = new URL((await authorize(install, { ...asked, ...change })).headers.get('location') ?? '')
    expect(address.origin + address.pathname).toBe(redirectUri)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ error, state: 'st', iss: install.url })
  })

  test('an error leads to no other machine than that of its user', async () => {
    const { install, asked } = await allowed()
    const { body } = await register(install, { redirect_uris: ['https://evil.example/callback'] })
    const sent = { ...asked, client_id: body.client_id ?? '', redirect_uri: 'https://evil.example/callback', response_type: 'x' }
    const response = await authorize(install, sent)
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })

  test('a request is decided once, in a session, by a page of this server', async () => {
    const { install, asked, cookie } = await allowed()
    const location = (await authorize(install, asked)).headers.get('location') ?? ''
    const id = new URL(location, install.url).searchParams.get('request')
    const send = (headers: Record<string, string>) =>
      install.ask(`/api/oauth/requests/${id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"allow": true}',
      })
    expect((await send({})).status).toBe(401)
    expect((await send({ authorization: `Bearer ${install.keys.member}` })).status).toBe(403)
    expect((await send({ cookie })).status).toBe(403)
    expect((await send({ cookie, origin: 'https://evil.example' })).status).toBe(403)
    expect((await send({ cookie, origin: install.url })).status).toBe(200)
    expect((await send({ cookie, origin: install.url })).status).toBe(404)
  })

  test('a refusal is told to the client', async () => {
    const { install, asked, cookie } = await allowed()
    const location = (await authorize(install, asked)).headers.get('location') ?? ''
    const { next } = await decide(install, location, cookie, false)
    expect(Object.fromEntries(new URL(next).searchParams)).toEqual({ error: 'access_denied', state: 'st', iss: install.url })
  })
})

describe('a code', () => {
  test.each<[string, Record<string, string>, string]>([
    ['of another client', { client_id: 'other' }, 'invalid_grant'],
    ['with another redirect address', { redirect_uri: 'http://127.0.0.1:7778/callback' }, 'invalid_grant'],
    ['with another verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
    ['without a verifier', { code_verifier: '' }, 'invalid_grant'],
    ['for another resource', { resource: 'https://example.com/mcp' }, 'invalid_target'],
    ['of another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['that nobody was given', { code: 'x' }, 'invalid_grant'],
  ])('%s is refused', async (_, change, error) => {
    const { install, form } = await allowed()
    expect(await exchange(install, { ...form, ...change })).toMatchObject({ status: 400, body: { error } })
  })

  test('a code that is used twice ends the access that it gave', async () => {
    const { install, form } = await allowed()
    const { body } = await exchange(install, form)
    expect((await listTools(install, body.access_token ?? '')).status).toBe(200)
    expect((await exchange(install, form)).status).toBe(400)
    expect((await listTools(install, body.access_token ?? '')).status).toBe(401)
  })
})

describe('a token', () => {
  test('a token only reads, at /mcp only, as its user', async () => {
    const { install, form } = await allowed()
    const { body } = await exchange(install, form)
    const token = body.access_token ?? ''
    expect(token).toMatch(/^carrel_at_/)
    expect((await install.json('/api/keys', { key: token })).status).toBe(401)
    expect(
      (await install.json('/api/parse', { method: 'POST', key: token, body: { repoUrl: 'https://example.com/a/b' } })).status,
    ).toBe(401)
  })

  test('a token is not accepted for another address of the server', async () => {
    const { install, form } = await allowed()
    const { body } = await exchange(install, form)
    const other = await listTools(
      { ...install, ask: (path, init) => fetch(install.url.replace('127.0.0.1', 'localhost') + path, init) },
      body.access_token ?? '',
    )
    expect(other.status).toBe(401)
    expect(other.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test('a refresh token works once, and its second use ends the access', async () => {
    const { install, form, clientId } = await allowed()
    const first = (await exchange(install, form)).body
    const refresh = (token = '') => exchange(install, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })
    const second = await refresh(first.refresh_token)
    expect(second.status).toBe(200)
    expect((await listTools(install, first.access_token ?? '')).status).toBe(401)
    expect((await listTools(install, second.body.access_token ?? '')).status).toBe(200)
    expect((await refresh(first.refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await listTools(install, second.body.access_token ?? '')).status).toBe(401)
    expect((await refresh(second.body.refresh_token)).status).toBe(400)
  })

  test('a token expires after a quarter of an hour, and its client is told to renew it', async () => {
    let now = new Date()
    const { install, form } = await allowed({ now: () => now })
    const { body } = await exchange(install, form)
    now = new Date(now.getTime() + 901_000)
    const response = await listTools(install, body.access_token ?? '')
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ])
  })

  test('a token ends with its user, and when the client revokes it', async () => {
    const { install, form, userId, clientId } = await allowed()
    const { body } = await exchange(install, form)
    install.app.users.change(userId, { disabled: true })
    expect((await listTools(install, body.access_token ?? '')).status).toBe(401)
    install.app.users.change(userId, { disabled: false })
    expect((await listTools(install, body.access_token ?? '')).status).toBe(200)
    await install.ask('/mcp/oauth/revoke', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ token: body.refresh_token ?? '', client_id: clientId })),
    })
    expect((await listTools(install, body.access_token ?? '')).status).toBe(401)
  })

  test('no token is in the database as it is', async () => {
    const { install, form } = await allowed()
    const { body } = await exchange(install, form)
    await install.stop()
    const { readFile } = await import('node:fs/promises')
    const bytes = await readFile(`${install.dataDir}/carrel.db`)
    for (const token of [body.access_token, body.refresh_token]) expect(bytes.includes(token ?? '?')).toBe(false)
  })
})

test('registrations from one address are limited', async () => {
  const { install } = await installWithUser()
  const statuses: number[] = []
  for (let n = 0; n < 21; n++) statuses.push((await register(install, { redirect_uris: [redirectUri] })).status)
  expect(statuses).toEqual([...Array(20).fill(201), 429])
})

describe('a closed registration', () => {
  const client = { client_name: 'Editor', redirect_uris: [redirectUri] }

  test('only the key of an admin registers clients, which users allow as before, and the metadata name no address for it', async () => {
    const { install, cookie } = await installWithUser()
    const before = (await register(install, client)).body.client_id ?? ''
    install.app.settings.change({ 'sso.clientRegistration': false })
    const earlier = await authorize(install, {
      client_id: before,
      response_type: 'code',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    expect([earlier.status, await earlier.text()]).toEqual([
      400,
      expect.stringContaining('Only clients that an admin has registered'),
    ])
    const { registration_endpoint } = (await (await install.ask('/.well-known/oauth-authorization-server')).json()) as Record<
      string,
      string
    >
    expect(registration_endpoint).toBeUndefined()
    const reader = install.app.keys.create({ name: 'reader', role: 'admin', scope: 'read' }).key
    for (const key of [undefined, install.keys.member, reader])
      expect(await register(install, client, key)).toMatchObject({ status: 403, body: { error: 'access_denied' } })
    const { status, body } = await register(install, client, install.keys.admin)
    expect(status).toBe(201)
    expect(install.app.audit.list(1, 1, { action: 'client.register' }).entries).toMatchObject([
      { actor: 'key admin', subject: 'Editor' },
    ])
    const asked = {
      client_id: body.client_id ?? '',
      response_type: 'code',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }
    const location = (await authorize(install, asked)).headers.get('location') ?? ''
    const { next } = await decide(install, location, cookie)
    const code = new URL(next).searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', client_id: asked.client_id, code, code_verifier: verifier }
    expect((await exchange(install, form)).status).toBe(200)
  })

  test('clients of users and of admins are kept when strangers fill the table', async () => {
    let now = new Date('2026-11-01T12:00:00Z')
    const { install, userId } = await installWithUser({ now: () => now })
    const { oauth } = install.app
    const make = (name: string, byAdmin = false) => oauth.register({ name, redirectUris: [redirectUri], byAdmin })
    const [byAdmin, allowedOne, stranger] = [make('admin', true), make('allowed'), make('stranger')]
    if (!byAdmin || !allowedOne || !stranger) throw new Error('A client was not registered.')
    oauth.grant({ userId, client: allowedOne, resource: '' })
    now = new Date(now.getTime() + 3_600_001)
    for (let n = 1; n < 1_000; n++) make(`filler ${n}`)
    expect(make('one more')).toBeDefined()
    expect(make('another')).toBeUndefined()
    expect([byAdmin, allowedOne, stranger].map(({ id }) => oauth.client(id)?.name)).toEqual(['admin', 'allowed', undefined])
  })
})

test('a user keeps the hundred grants that were used last', async () => {
  let now = new Date('2026-11-01T12:00:00Z')
  const { install, userId } = await installWithUser({ now: () => now })
  const { oauth } = install.app
  const client = { id: 'editor', name: 'Editor', redirectUris: [redirectUri], byAdmin: false }
  const first = oauth.grant({ userId, client, resource: 'here' })
  const second = oauth.grant({ userId, client, resource: 'here' })
  for (let n = 2; n < 100; n++) {
    now = new Date(now.getTime() + 60_001)
    oauth.grant({ userId, client, resource: 'here' })
  }
  expect(oauth.find(first.tokens.access, 'here')).toBeUndefined()
  const next = oauth.refresh(first.tokens.refresh, 'editor')
  oauth.find(next?.tokens.access ?? '', 'here')
  oauth.grant({ userId, client, resource: 'here' })
  const ids = oauth.list(userId).map(({ id }) => id)
  expect([ids.length, ids.includes(first.grantId), ids.includes(second.grantId)]).toEqual([100, true, false])
})
