import { generateKeyPairSync, verify } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

/**
 * Answers like the API of GitHub about apps: shapes of docs.github.com/rest/apps/apps, read in November 2026, not recorded. What is not below
 * /api/v3 goes to the git server.
 */
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const otherPem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

let app: TestInstall
let github: http.Server
let url: string
const asked: { method: string; path: string; body: string }[] = []
let isInstalled = true
let clockIsWrong = false
let tokenStatus = 201
let minutes = 60

type Answer = { status: number; body: unknown }

function answer(method: string, path: string, authorization: string): Answer {
  const problem = proofProblem(authorization.replace('Bearer ', ''))
  if (problem !== undefined) return { status: 401, body: { message: problem, documentation_url: 'https://docs.github.com/rest' } }
  if (path === '/app') return { status: 200, body: { id: 4711, slug: 'carrel', name: 'Carrel reader', owner: { login: 'acme' } } }
  if (path === '/repos/acme/hidden/installation' && isInstalled)
    return { status: 200, body: { id: 77, app_id: 4711, account: { login: 'acme' }, repository_selection: 'selected' } }
  if (method === 'POST' && path === '/app/installations/77/access_tokens' && tokenStatus === 201)
    return {
      status: 201,
      body: {
        token: 'ghs_sesame',
        expires_at: new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+/, ''),
        permissions: { contents: 'read', metadata: 'read' },
        repository_selection: 'selected',
      },
    }
  if (method === 'POST')
    return { status: tokenStatus, body: { message: 'The permissions requested are not granted to this installation.' } }
  return { status: 404, body: { message: 'Not Found' } }
}

function proofProblem(proof: string): string | undefined {
  const [header = '', payload = '', signature = ''] = proof.split('.')
  const isSigned = verify('sha256', Buffer.from(`${header}.${payload}`), pair.publicKey, Buffer.from(signature, 'base64url'))
  if (!isSigned) return 'A JSON web token could not be decoded'
  const { iss, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const now = Date.now() / 1000 + (clockIsWrong ? 3_600 : 0)
  if (iss !== '4711') return 'Integration not found'
  if (iat > now || exp < now || exp - now > 600)
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
  return undefined
}

beforeAll(async () => {
  app = await testInstall()
  await app.git.create('acme/hidden', {
    files: { 'README.md': '# Hidden\n\nTurn the lever of the app.\n' },
    private: 'x-access-token:ghs_sesame',
  })
  github = http.createServer((request, response) => {
    const path = request.url ?? ''
    if (!path.startsWith('/api/v3/')) return void proxy(request, response)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const api = path.slice('/api/v3'.length)
      asked.push({ method: request.method ?? '', path: api, body: Buffer.concat(chunks).toString() })
      const { status, body } = answer(request.method ?? '', api, request.headers.authorization ?? '')
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(github.address() as AddressInfo).port}`
})
afterAll(async () => {
  github.closeAllConnections()
  github.close()
  await app.close()
})
beforeEach(() => {
  asked.length = 0
  isInstalled = true
  clockIsWrong = false
  tokenStatus = 201
  minutes = 60
})

function proxy(request: http.IncomingMessage, response: http.ServerResponse): void {
  const { method, headers } = request
  const forward = http.request(`${app.git.url}${request.url}`, { method, headers }, (answered) => {
    response.writeHead(answered.statusCode ?? 500, answered.headers)
    answered.pipe(response)
  })
  request.pipe(forward)
}

const save = (changes: Record<string, unknown>) => app.call('PATCH', '/api/settings', changes)
const useApp = (key: string, appId = '4711') => save({ 'github.baseUrl': url, 'github.appId': appId, 'github.token': key })
const add = async () => {
  const { body } = await app.call('POST', '/api/parse', { repoUrl: `${url}/acme/hidden`, force: true })
  return app.ended(Number(body.queueId))
}

test('a private repository is read with a token of the installation, which is requested once', async () => {
  expect((await useApp(pem)).status).toBe(200)
  expect(await add()).toMatchObject({ state: 'done' })
  expect(await app.context('/acme/hidden', 'turn the lever')).toContain('lever of the app')
  expect((await app.call('GET', '/api/projects/acme/hidden')).body).toMatchObject({ private: true })
  expect(await app.refresh('acme/hidden')).toMatchObject({ state: 'done' })
  const made = asked.filter(({ method }) => method === 'POST')
  expect(made.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
    ['/app/installations/77/access_tokens', { repositories: ['hidden'], permissions: { contents: 'read', metadata: 'read' } }],
  ])
  const shown = JSON.stringify([app.log.lines, (await app.call('GET', '/api/settings')).body])
  expect(shown).not.toContain('ghs_sesame')
  expect(shown).not.toContain(pem.split('\n')[3])
  expect(app.git.requests.map(({ authorization = '' }) => Buffer.from(authorization, 'base64').toString()).join()).not.toContain(
    'PRIVATE',
  )
})

test('a token that ends soon is replaced', async () => {
  minutes = 5
  await useApp(`${pem}\n`, '4711')
  await save({ 'github.baseUrl': url.replace('127.0.0.1', 'localhost') })
  url = url.replace('127.0.0.1', 'localhost')
  await useApp(pem)
  for (let times = 0; times < 2; times++) expect(await add()).toMatchObject({ state: 'done' })
  expect(asked.filter(({ method }) => method === 'POST').length).toBeGreaterThan(1)
})

test('an app that is not installed on the repository is said', async () => {
  minutes = 5
  isInstalled = false
  await useApp(pem)
  expect((await add()).error).toContain('The GitHub App 4711 is not installed on')
})

test('an app without the permission is said', async () => {
  tokenStatus = 422
  await useApp(pem)
  expect((await add()).error).toContain('needs the permission Contents (read). The host says: "The permissions requested')
})

test('a key of another app, and an id of another app, are said', async () => {
  await useApp(otherPem)
  expect((await add()).error).toContain(
    'rejected the key of the GitHub App 4711 (401). Check that github.appId and github.token belong',
  )
  await useApp(pem, '1')
  expect((await add()).error).toContain('The host says: "Integration not found"')
})

test('a wrong clock is said', async () => {
  clockIsWrong = true
  await useApp(pem)
  expect((await add()).error).toContain('does not accept the time of this server, which is 20')
})

test('the test of the settings names the app', async () => {
  await useApp(pem)
  expect((await app.call('POST', '/api/settings/test?only=github', {})).body).toEqual({
    github: { ok: true, login: 'Carrel reader' },
  })
})

test('a host of the list is read as an app, too', async () => {
  await save({ 'github.baseUrl': app.git.url, 'github.appId': null, 'github.token': null })
  const host = { name: 'enterprise', kind: 'github', baseUrl: url, appId: '4711' }
  expect((await save({ 'git.hosts': [host], 'git.hosts.enterprise.token': pem })).status).toBe(200)
  await app.call('DELETE', '/api/projects/acme/hidden')
  expect(await add()).toMatchObject({ state: 'done', project: '/acme/hidden' })
  await save({ 'git.hosts': [] })
})

test('a token is refused for an app, and a private key without one', async () => {
  await save({ 'github.baseUrl': url, 'github.appId': null, 'github.token': null })
  expect((await save({ 'github.appId': '4711', 'github.token': 'ghp_token' })).body.message).toContain('must be a private key')
  expect((await save({ 'github.token': pem })).body.message).toContain('must be a token; a private key needs appId')
  expect((await save({ 'github.appId': 'not an id' })).body.message).toContain('must be the App ID')
})

test('the key of an app is sent nowhere after the id was cleared', async () => {
  await useApp(pem)
  await save({ 'github.appId': null })
  app.git.requests.length = 0
  expect((await add()).error).toContain('to read a private repository set github.token')
  expect(app.git.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([])
})
