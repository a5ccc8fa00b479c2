import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer } from '../../../onprem/server.ts'
import { createUser } from '../../fixtures/create-user.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { tinyEncoder } from '../../fixtures/local-models/tiny-model.ts'
import { smallModel, smallModelFiles, startModelHub } from '../../fixtures/model-hub.ts'
import { quickPasswords } from '../../fixtures/quick-passwords.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { signatureOf } from '../../fixtures/webhook-bodies.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'
import { zipOf } from '../../fixtures/zips.ts'
import { methodOf, routes } from '../routes.ts'

let app: TestInstall
/** The hashes of new passwords wait for it. */
let hashing = Promise.resolve()

beforeAll(async () => {
  app = await widgetsInstall({
    catalogue: [smallModel],
    passwords: { ...quickPasswords, hash: (password) => hashing.then(() => quickPasswords.hash(password)) },
  })
})
afterAll(() => app.close())

const below = routes.filter(({ path }) => path.startsWith('/api/'))
const bodyOf = (body: string | undefined) => (body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } })
const statusesOf = async (init: (route: (typeof below)[number]) => Parameters<TestInstall['ask']>[1], among = below) => {
  const statuses: number[] = []
  for (const route of among) {
    const { headers, ...rest } = init(route) ?? {}
    const sent = { method: methodOf(route), ...bodyOf(route.body), ...rest }
    statuses.push((await app.ask(route.path, { ...sent, headers: { ...sent.headers, ...headers } })).status)
  }
  return [...new Set(statuses)]
}
const send = (method: string, path: string, body?: unknown, key: string | undefined = app.keys.admin) =>
  app.ask(path, { method, key, ...bodyOf(body === undefined ? undefined : JSON.stringify(body)) })
const get = (path: string, key?: string) => send('GET', path, undefined, key)

/** `ask` checks each answer: it must be in the document as it is. The last test fails if a declared answer never came. */
test('a request with two different keys, or from a page of another origin, is rejected by every route', async () => {
  expect(await statusesOf(() => ({ headers: { authorization: 'Bearer a', 'x-api-key': 'b' } }))).toEqual([400])
  expect(await statusesOf(() => ({ headers: { origin: 'https://example.com' } }))).toEqual([403])
})

test('a key is required by every route that a setting closes, and by every route for members and admins', async () => {
  app.app.settings.change({ 'permissions.requireMcpAuth': true })
  const closed = below.filter(({ access, switched }) => access !== 'everyone' || switched !== undefined)
  expect(await statusesOf(() => ({}), closed)).toEqual([401])
  app.app.settings.change({ 'permissions.requireMcpAuth': null })
})

test('a body that is too large is rejected by every route that takes JSON', async () => {
  const files = ['/api/import-libraries', '/api/parse/recognize', '/api/parse-openapi-upload', '/api/parse-files']
  // The body of a delivery is read only if the webhook exists; the test of webhooks sends one that is too large.
  const isDelivery = (path: string) => path === '/api/hooks/none' || path === '/api/github/webhook'
  const small = below.filter(({ body, path }) => body !== undefined && !files.includes(path) && !isDelivery(path))
  const ofMb = (mb: number) => JSON.stringify({ libraryName: 'x'.repeat(mb * 2 ** 20) })
  expect(await statusesOf(() => ({ key: app.keys.admin, ...bodyOf(ofMb(4)) }), small)).toEqual([413])
  const manifests = below.filter(({ path }) => path === '/api/parse/recognize')
  expect(await statusesOf(() => ({ key: app.keys.admin, ...bodyOf(ofMb(20)) }), manifests)).toEqual([413])
})

test('each route responds as the access table defines', async () => {
  await statusesOf(() => ({ key: app.keys.admin }))
  await statusesOf(() => ({}))
})

test('searches and listings respond as documented', async () => {
  const of = (query: Record<string, string>) => new URLSearchParams(query)
  const asked = { libraryId: '/acme/widgets', query: 'paint a widget' }
  const paths = [
    `/api/v2/libs/search?${of({ libraryName: 'widgets' })}`,
    `/api/v2/context?${of({ ...asked, type: 'json' })}`,
    `/api/v2/context?${of(asked)}`,
    `/api/v2/search?${of({ query: 'paint a widget' })}`,
    '/api/search?q=widgets',
    '/api/v2/libs/acme/widgets/pages',
    '/api/v2/libs/acme/widgets/pages/README.md',
    `/api/v2/libs/metrics?${of({ libraryId: '/acme/widgets' })}`,
    `/api/usage?${of({ libraryId: '/acme/widgets' })}`,
    '/api/usage?format=csv',
    '/api/projects?q=widgets',
    '/api/projects/acme/widgets',
    '/api/projects/acme/widgets@v1.0.0',
    '/api/projects/acme/widgets/pages',
    '/api/projects/acme/widgets/pages/README.md',
    '/api/projects/acme/widgets/flagged',
    '/api/projects/acme/widgets/source',
    '/api/projects/acme/widgets/versions',
    '/api/projects/acme/widgets/changes?to=v1.0.0',
    '/api/jobs',
    '/api/jobs/1',
    '/api/jobs/1/log',
    '/api/events',
    '/api/audit',
  ]
  for (const path of paths) expect((await get(path)).status, path).toBe(200)
  expect((await get('/api/v2/libs/search?libraryName=zzqqxx')).status).toBe(404)
  expect((await get('/api/v2/libs/metrics?libraryId=x')).status).toBe(400)
  for (const page of ['', '/README.md']) expect((await get(`/api/v2/libs/acme/widgets/pages${page}?type=pdf`)).status).toBe(400)
  for (const path of ['/api/v2/search', '/api/search']) expect((await get(path)).status).toBe(400)
  expect((await get('/api/usage?libraryId=/acme/none')).status).toBe(404)
  expect((await get('/api/usage?days=0')).status).toBe(400)
})

test('settings, policies, users and keys are changed and removed', async () => {
  expect((await send('PATCH', '/api/settings', { 'feedback.enabled': true })).status).toBe(200)
  expect((await send('POST', '/api/v2/feedback', { libraryId: '/acme/widgets', helpful: true })).status).toBe(201)
  for (const path of ['/api/feedback', '/api/feedback?format=csv']) expect((await get(path)).status).toBe(200)
  expect((await send('DELETE', '/api/feedback/1')).status).toBe(200)
  expect((await send('DELETE', '/api/feedback')).status).toBe(200)
  const changed = await send('PATCH', '/api/settings', { 'llm.provider': 'openai', 'llm.apiKey': 'sk-0123456789' })
  expect(changed.status).toBe(200)
  const dropped = await send('PATCH', '/api/settings', { 'llm.provider': null })
  expect([dropped.status, dropped.headers.get('x-carrel-dropped')]).toEqual([200, 'llm.apiKey'])
  expect((await send('POST', '/api/settings/test', {})).status).toBe(200)
  expect((await send('PATCH', '/api/v2/policies', { libraryFilters: { mode: 'select' } })).status).toBe(200)

  const { id } = (await (
    await send('POST', '/api/users', { username: 'mia', password: 'a long password', role: 'member' })
  ).json()) as {
    id: string
  }
  expect((await send('PATCH', `/api/users/${id}`, { role: 'admin' })).status).toBe(200)
  expect((await send('PATCH', `/api/users/${id}`, { username: 'admin' })).status).toBe(400)
  expect((await send('GET', '/api/users')).status).toBe(200)
  expect((await send('DELETE', `/api/users/${id}/sessions`)).status).toBe(200)
  expect((await send('POST', '/api/groups', { name: 'team' })).status).toBe(201)
  expect((await send('PUT', '/api/groups/team/members', { users: ['mia'] })).status).toBe(200)
  expect((await send('PUT', '/api/groups/none/members', { users: ['mia'] })).status).toBe(404)
  expect((await send('GET', '/api/groups/team/members')).status).toBe(200)
  expect((await send('DELETE', '/api/groups/team')).status).toBe(200)
  expect((await send('PUT', '/api/library-rules', { pattern: '/secret/*', access: 'restricted' })).status).toBe(200)
  expect((await send('DELETE', '/api/library-rules?pattern=/secret/*')).status).toBe(200)
  const made = await send('POST', '/api/keys', { name: 'mine' })
  expect(made.status).toBe(201)
  const key = (await made.json()) as { id: string }
  expect((await get('/api/keys')).status).toBe(200)
  expect((await send('DELETE', `/api/keys/${key.id}`)).status).toBe(200)

  const pair = { username: 'nia', password: 'a long password' }
  await createUser(app, pair)
  const signedIn = await send('POST', '/api/auth/session/sign-in/username', pair)
  expect(signedIn.status).toBe(200)
  const cookie = await signIn(app, pair)
  const browser = { cookie, origin: app.url, 'content-type': 'application/json' }
  expect(await (await app.ask('/api/auth/session/get-session', { headers: browser })).json()).toMatchObject({
    user: { username: 'nia' },
  })
  const { sessions } = (await (await app.ask('/api/account/sessions', { headers: browser })).json()) as {
    sessions: { id: string; current: boolean }[]
  }
  const other = sessions.find(({ current }) => !current)?.id
  const end = { method: 'DELETE', headers: browser }
  expect((await app.ask(`/api/account/sessions/${other}`, end)).status).toBe(200)
  expect((await app.ask(`/api/account/sessions/${other}`, end)).status).toBe(404)
  const credentials = JSON.stringify({ currentPassword: pair.password, username: 'nia', password: 'another password' })
  const change = { method: 'POST', headers: browser, body: credentials }
  expect((await app.ask('/api/account/credentials', change)).status).toBe(200)
  expect((await send('DELETE', `/api/users/${id}`)).status).toBe(200)
})

test('a validation_error names the parameters and fields that are wrong', async () => {
  const fieldsOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { fields: unknown }).fields
  expect(await fieldsOf(get('/api/v2/libs/metrics?libraryId=/a/b&libraryId=/a/b&days=0'))).toEqual([
    { path: 'libraryId', message: 'must be given only once' },
    { path: 'days', message: 'must be a whole number from 1 to 365' },
  ])
  expect(await fieldsOf(send('POST', '/api/parse', { repoUrl: 'https://x', versions: [1] }))).toEqual([
    { path: 'versions.0', message: 'must be a text' },
  ])
  expect(await fieldsOf(send('POST', '/api/parse', []))).toEqual([{ path: '', message: 'must be a JSON object' }])
  expect(await fieldsOf(send('PATCH', '/api/settings', { 'embedding.dimensions': -1 }))).toMatchObject([
    { path: 'embedding.dimensions' },
  ])
  expect(await fieldsOf(send('PATCH', '/api/settings', { 'llm.modle': 'x' }))).toMatchObject([{ path: 'llm.modle' }])
  expect(await fieldsOf(app.ask('/api/parse', { method: 'POST', key: app.keys.admin, ...bodyOf('{') }))).toEqual([])
})

test('attempts are limited', async () => {
  const pair = { username: 'admin', password: 'wrong password' }
  const signIns = await Promise.all(
    Array.from({ length: 12 }, () => send('POST', '/api/auth/session/sign-in/username', pair, '').then(({ status }) => status)),
  )
  expect(signIns).toContain(429)
  const user = (n: number) => ({ username: `user${n}`, password: 'a long password', role: 'member' })
  const { promise, resolve } = Promise.withResolvers<void>()
  hashing = promise
  const users = Array.from({ length: 40 }, (_, n) => send('POST', '/api/users', user(n)))
  expect((await Promise.race(users)).status).toBe(429)
  resolve()
  await Promise.all(users)
})

const stateOf = async (id: string) => ((await (await get(`/api/projects/${id}`)).json()) as { state: string }).state

test('parses, imports and re-indexes are queued, conflict, and are cancelled and retried', async () => {
  const files = { 'README.md': '# Slow\n\nTurn the slow lever.\n' }
  for (const repo of ['acme/slow', 'acme/added']) await app.git.create(repo, { files })
  app.git.misbehave('acme/slow', { kind: 'stall', at: 'refs' })
  const repoUrl = `${app.git.url}/acme/slow`
  const parsing = await send('POST', '/api/parse', { repoUrl })
  expect(parsing.status).toBe(202)
  const { queueId } = (await parsing.json()) as { queueId: number }
  expect((await send('POST', '/api/parse', { repoUrl })).status).toBe(409)
  await expect.poll(async () => JSON.stringify(await (await get('/api/parse-status')).json())).toContain('parsing')
  expect((await get(`/api/jobs/${queueId}`)).status).toBe(200)
  expect((await send('POST', `/api/jobs/${queueId}/retry`)).status).toBe(400)
  expect((await send('POST', `/api/jobs/${queueId}/cancel`)).status).toBe(202)
  expect((await send('POST', `/api/jobs/${queueId}/retry`)).status).toBe(202)
  expect((await send('POST', `/api/jobs/${queueId}/retry`)).status).toBe(409)
  expect((await send('POST', '/api/jobs/999/cancel')).status).toBe(404)
  app.git.misbehave('acme/slow')
  await send('POST', `/api/jobs/${queueId + 1}/cancel`)

  const added = await send('POST', '/api/v2/add/repo/github', { docsRepoUrl: `${app.git.url}/acme/added` })
  expect(added.status).toBe(200)
  await expect.poll(() => stateOf('acme/added')).toBe('finalized')
  await expect.poll(async () => (await send('POST', '/api/v1/refresh', { libraryName: '/acme/added' })).status).toBe(200)
  expect((await send('POST', '/api/v2/add/repo/github', { docsRepoUrl: `${app.git.url}/acme/added` })).status).toBe(409)

  app.git.misbehave('acme/widgets', { kind: 'stall', at: 'refs' })
  expect((await send('POST', '/api/projects/acme/widgets/refresh')).status).toBe(202)
  expect((await send('POST', '/api/projects/acme/widgets/refresh')).status).toBe(409)
  expect((await send('PATCH', '/api/projects/acme/widgets/source', { branch: null })).status).toBe(409)
  expect((await send('POST', '/api/v1/refresh', { libraryName: '/acme/widgets' })).status).toBe(409)
  expect((await send('DELETE', '/api/projects/acme/widgets')).status).toBe(409)
  app.git.misbehave('acme/widgets')
  await Promise.all(app.app.jobs.active().map(({ id }) => send('POST', `/api/jobs/${id}/cancel`)))
  expect((await send('DELETE', '/api/projects/acme/added@v9')).status).toBe(404)
  expect((await send('PATCH', '/api/projects/acme/added/source', { branch: null })).status).toBe(200)
  expect((await send('PATCH', '/api/projects/acme/added/tags', { add: ['web'] })).status).toBe(200)

  const element = { project: '/acme/imported', title: 'Docs', ...snippetsOf('The lever turns.') }
  expect((await send('POST', '/api/import-libraries', { libraries: [element] })).status).toBe(202)
  await expect.poll(() => stateOf('acme/imported')).toBe('finalized')
  expect((await send('DELETE', '/api/projects/acme/imported?undo=60')).status).toBe(200)
  expect((await send('POST', '/api/projects/acme/imported/restore')).status).toBe(200)
  expect((await send('DELETE', '/api/projects/acme/imported')).status).toBe(200)
  expect((await send('POST', '/api/reindex')).status).toBeLessThan(500)
})

test('models are fetched, uploaded and deleted', async () => {
  const hub = await startModelHub()
  hub.answer('onnx/model_quantized.onnx', (_, response) => void response.writeHead(200).write('w'))
  app.app.settings.change({ 'models.hub': hub.url })
  const path = `/api/models/${smallModel.name}`
  const body = zipOf(Object.entries(smallModelFiles).map(([name, content]) => ({ name, content })))
  const upload = { method: 'POST', key: app.keys.admin, body, headers: { 'content-type': 'application/zip' } }
  expect((await send('POST', path, {})).status).toBe(202)
  expect((await app.ask(path, upload)).status).toBe(409)
  expect((await get('/api/models')).status).toBe(200)
  expect((await send('DELETE', path)).status).toBe(200)
  expect((await app.ask(path, upload)).status).toBe(201)
  const other = zipOf([
    { name: 'onnx/model.onnx', content: tinyEncoder() },
    { name: 'tokenizer.json', content: '{}' },
  ])
  const unknown = await app.ask('/api/models/other', { ...upload, body: other })
  expect([unknown.status, await unknown.json()]).toMatchObject([400, { confirm: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  app.app.settings.change({ 'embedding.provider': 'local', 'embedding.model': smallModel.name })
  expect((await send('DELETE', path)).status).toBe(409)
  app.app.settings.change({ 'embedding.provider': null, 'embedding.model': null, 'models.hub': null })
  await hub.close()
})

test('a git host that is down is reported to callers without a key', async () => {
  app.app.settings.change({ 'permissions.anonymousParse': true, 'permissions.anonymousRefresh': true })
  for (const repo of ['acme/widgets', 'acme/down']) {
    if (repo === 'acme/down') await app.git.create(repo, { files: {} })
    app.git.misbehave(repo, { kind: 'status', status: 503 })
  }
  const repoUrl = `${app.git.url}/acme/down`
  const statuses = [
    await send('POST', '/api/parse', { repoUrl }, ''),
    await send('POST', '/api/v2/add/repo/github', { docsRepoUrl: repoUrl }, ''),
    await send('POST', '/api/v1/refresh', { libraryName: '/acme/widgets' }, ''),
    await send('POST', '/api/projects/acme/widgets/refresh', undefined, ''),
  ].map(({ status }) => status)
  expect(statuses).toEqual([502, 502, 502, 502])
})

test('a server whose stores cannot be read is not ready', async () => {
  const answer = await createServer(app.app, async () => false).request('/api/ready', { headers: { host: '127.0.0.1' } })
  await app.answers.check('GET', '/api/ready', answer)
  expect(answer.status).toBe(503)
})

/** The reasons why no test here gets a declared answer. An answer that a test gets must leave this list. */
const reasons: [pattern: RegExp, why: string][] = [
  [/ 500$/, 'only a bug or a broken disk'],
  [/ 507$/, 'only a full disk, see test/e2e/disk-full.test.ts'],
  [/^(?!GET \/ready).* 503$/, 'damaged data, or too many bodies: see test/onprem/{damaged-stores,unfinished-bodies}.test.ts'],
  [/ 412$/, 'see test/onprem/lost-updates.test.ts'],
  [/ 504$/, 'a slow host or hosted service, see test/shared/reading/git and test/onprem/cloud'],
  [/^GET \/v2\/(context|search|libs\/(search|\{owner\}\S+)) 429$/, 'see test/onprem/cloud and test/shared/search'],
  [/^POST \/parse\/preview (200|404|409|422|429|502)$/, 'see test/onprem/routes/parse-preview.test.ts'],
  [/^GET \/projects\/\{owner\}\/\{repo\}\/remote-names (200|422|429|502)$/, 'see test/onprem/routes/versions.test.ts'],
  [/^GET \/backup (200|409)$/, 'see test/onprem/backup/backup.test.ts'],
  [
    /^(POST \/backup 409|(GET|DELETE) \/backups(\/\{name\})? 409|(GET|DELETE) \/backups\/\{name\} 200)$/,
    'see test/onprem/backup/backup-store.test.ts',
  ],
  [/^POST \/parse-openapi (202|409)$/, 'see test/onprem/sources/openapi-by-url.test.ts'],
  [/^POST \/parse-llmstxt (202|409)$/, 'see test/onprem/sources/llmstxt.test.ts'],
  [/^POST \/parse-confluence (202|409)$/, 'see test/onprem/sources/confluence.test.ts'],
  [/^POST \/parse-website (202|409)$/, 'see test/onprem/sources/websites.test.ts'],
  [
    /^(POST \/gitops\/(plan 200|apply 202|reconcile (200|404|409|413|422|429|502))|PUT \/gitops\/config 200)$/,
    'see test/onprem/declared',
  ],
  [/^POST \/parse-(openapi-upload|files) (202|409|413)$/, 'see test/onprem/sources/uploads.test.ts'],
  [/^GET \/auth\/oidc\/\{name\}\/(start (302|429)|callback 302)$/, 'see test/onprem/routes/single-sign-on.test.ts'],
  [/^(GET|POST) \/device-logins\/\{code\} (200|429)$/, 'see test/onprem/routes/device-logins.test.ts'],
  [/^((GET|POST) \/oauth\/requests\/\{id\} 200|DELETE \/account\/grants\/\{id\} 200)$/, 'see test/onprem/routes/oauth.test.ts'],
  [
    /^(POST \/auth\/session\/sign-in\/(username 202|passkey (200|429)|second-step (200|401|429))|DELETE \/users\/\{id\}\/second-factor 200)$/,
    'see test/onprem/routes/second-factor.test.ts and passkeys.test.ts',
  ],
  [/^[A-Z]+ \/account\/second-factor\/\S+ (200|429)$/, 'see test/onprem/routes/second-factor.test.ts and passkeys.test.ts'],
  [/^[A-Z]+ \/scim\/.* (200|201|204|400|401|403|404|409|413|429)$/, 'see test/onprem/scim'],
  [/^POST \/v2\/feedback 429$/, 'see test/onprem/routes/feedback.test.ts'],
  [/^GET \/events 429$/, 'see test/onprem/routes/events.test.ts'],
  [/^POST \/export (200|404|422)$/, 'see test/onprem/export/export-libraries.test.ts'],
  [/^POST \/import-libraries 413$/, 'needs more than 100 MB, see test/e2e/import-limits.test.ts'],
  [/^POST \/account\/credentials 429$/, 'see test/onprem/routes/account.test.ts'],
  [/^PATCH \/users\/\{id\} 429$/, 'the same limit as POST /users'],
  [/^POST \/v2\/add\/repo\/(gitlab|bitbucket|git) (200|409|502)$/, 'the same code as github'],
]

test('webhooks are added and removed, and accept what their secret signs', async () => {
  expect((await send('POST', '/api/hooks', { kind: 'github', library: '/acme/none' })).status).toBe(404)
  const created = await send('POST', '/api/hooks', { kind: 'github' })
  const { id, secret } = (await created.json()) as { id: string; secret: string }
  for (const path of [`/api/hooks/${id}`, '/api/github/webhook']) {
    const deliver = (signature: string) =>
      app.ask(path, { method: 'POST', body: '{}', headers: { 'x-github-event': 'ping', 'x-hub-signature-256': signature } })
    expect((await deliver(`sha256=${signatureOf(secret, '{}')}`)).status).toBe(202)
    expect((await deliver('sha256=00')).status).toBe(401)
    expect((await send('POST', path, 'x'.repeat(5 * 2 ** 20))).status).toBe(413)
  }
  expect((await get(`/api/hooks/${id}/deliveries`)).status).toBe(200)
  expect((await send('DELETE', `/api/hooks/${id}`)).status).toBe(200)
})

test('every declared response is tested, or a reason is listed', async () => {
  const declared = await app.answers.declared()
  const isExplained = ({ name }: { name: string }) => reasons.some(([pattern]) => pattern.test(name))
  const unseen = declared.filter(({ isSeen }) => !isSeen)
  expect(unseen.map(({ name }) => name)).toEqual(declared.filter(isExplained).map(({ name }) => name))
  expect(reasons.filter(([pattern]) => !unseen.some(({ name }) => pattern.test(name)))).toEqual([])
})
