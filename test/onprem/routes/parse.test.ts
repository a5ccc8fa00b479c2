import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../shared/store/database.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall
let gitlab: GitServer

beforeAll(async () => {
  app = await widgetsInstall()
  gitlab = await startGitServer()
  await app.git.create('acme/secret', {
    files: { 'README.md': '# Secret\n\nThe secret word is swordfish.\n' },
    private: '*:sesame',
  })
  await app.git.create('acme/open', { files: { 'README.md': '# Open\n\nOpen words for everyone.\n' } })
})
afterAll(async () => {
  await app.close()
  await gitlab.close()
})
afterEach(() =>
  app.app.settings.change({ 'permissions.anonymousParse': null, 'permissions.anonymousRefresh': null, 'github.token': null }),
)

const post = (body: unknown, init: { key?: string; headers?: Record<string, string> } = { key: app.keys.member }) =>
  app.json('/api/parse', { method: 'POST', body, ...init })
const repoUrl = (repo: string) => `${app.git.url}/${repo}`
const refusal = (message: string) => ({
  status: 400,
  body: { error: 'validation_error', message, fields: expect.any(Array) },
})
const sentTokens = () => app.git.requests.filter(({ authorization }) => authorization !== undefined)

test('a parse returns the queued job', async () => {
  const { status, body } = await post({ repoUrl: repoUrl('acme/open') })
  expect(status).toBe(202)
  expect(body).toEqual({ message: 'Parse queued', project: '/acme/open', queueId: expect.any(Number), position: null })
  expect(await app.ended((body as { queueId: number }).queueId)).toMatchObject({ state: 'done', snippets: 1 })
})

test('an address without a scheme and with a tag and a folder is read from there', async () => {
  const files = {
    'README.md': '# Cranks\n\nCranks turn.\n',
    'docs/guide.md': '# Guide\n\nA crank turns a shaft.\n',
    'more/notes.md': '# Notes\n\nNor this one.\n',
  }
  await app.git.create('acme/cranks', { files, tags: ['v1'] })
  const pasted = `${repoUrl('acme/cranks').replace('http://', '')}/tree/v1/docs`
  const { status, body } = await post({ repoUrl: pasted })
  expect([status, (body as { project: string }).project]).toEqual([202, '/acme/cranks'])
  expect(await app.ended((body as { queueId: number }).queueId)).toMatchObject({ state: 'done', report: { filesRead: 2 } })
  const { body: library } = await app.json('/api/projects/acme/cranks')
  expect(library).toMatchObject({ sourceUrl: repoUrl('acme/cranks'), branch: 'v1' })
})

test('a folder in the address and others in folders are rejected', async () => {
  const answer = await post({ repoUrl: `${repoUrl('acme/open')}/tree/main/docs`, folders: ['src'] })
  expect(answer).toMatchObject({
    status: 400,
    body: {
      message:
        'The address names the folder docs, but folders are src. Send only one of them. A branch with slashes in its name belongs in branch.',
    },
  })
})

test('an address that cannot be understood is rejected with the nearest one', async () => {
  const answer = await post({ repoUrl: `${repoUrl('acme/open')}/blob/main/README.md` })
  expect(answer).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/ Did you mean http:\/\/127\.0\.0\.1:\d+\/acme\/open\/tree\/main\?$/) },
  })
})

test('unknown fields are rejected with similar fields', async () => {
  const body = { repoUrl: repoUrl('acme/open'), branche: 'main', colour: 'red', constructor: {} }
  const known =
    'repoUrl, branch, versions, optionalVersions, folders, excludeFolders, excludeFiles, languages, force, generateDocs, apiReference, tagRule, schedule'
  const message = `is not a known field. Known fields: ${known}`
  expect(await post(body)).toEqual({
    status: 400,
    body: {
      error: 'validation_error',
      message: `branche is not a known field. Did you mean branch? colour ${message}. constructor ${message}.`,
      fields: [
        { path: 'branche', message: 'is not a known field. Did you mean branch?' },
        { path: 'colour', message },
        { path: 'constructor', message },
      ],
    },
  })
})

test.each([
  ['{"repoUrl":', 'The body is not valid JSON.'],
  ['', 'The body is not valid JSON.'],
  ['PK\u0003\u0004 not a zip', 'The body is not valid JSON.'],
  ['['.repeat(400_000), 'The body is not valid JSON.'],
  ['null', 'The body must be a JSON object.'],
  ['[]', 'The body must be a JSON object.'],
  ['"https://github.com/a/b"', 'The body must be a JSON object.'],
  ['{}', 'repoUrl is required.'],
  ['{"repoUrl":5}', 'repoUrl must be a text.'],
  ['{"repoUrl":null}', 'repoUrl must be a text.'],
  ['{"repoUrl":""}', 'repoUrl must not be empty.'],
  ['{"repoUrl":"x","folders":"docs"}', 'folders must be a list.'],
  ['{"repoUrl":"x","folders":[1,{}]}', 'folders.0 must be a text. folders.1 must be a text.'],
  ['{"repoUrl":"x","excludeFiles":{"0":"a"}}', 'excludeFiles must be a list.'],
  ['{"repoUrl":"x","versions":["v1",null]}', 'versions.1 must be a text.'],
  ['{"repoUrl":"x","versions":[" "]}', 'versions.0 must not be empty.'],
  ['{"repoUrl":"x","branch":["main"]}', 'branch must be a text.'],
  ['{"repoUrl":"x","branch":" --upload-pack=x"}', 'branch must not begin with "-".'],
  ['{"repoUrl":"x","versions":["v1","-v2"]}', 'versions.1 must not begin with "-".'],
  ['{"repoUrl":"x","force":"yes"}', 'force must be true or false.'],
  ['{"repoUrl":"x","force":"yes","folders":1}', 'folders must be a list. force must be true or false.'],
])('the body $0 is rejected with the reason', async (body, message) => {
  expect(await post(body)).toEqual(refusal(message))
})

test.each([
  'text/plain',
  'application/zip',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonx',
])('a body of type %s is not read', async (type) => {
  const body = { repoUrl: repoUrl('acme/open') }
  const answer = await post(body, { key: app.keys.member, headers: { 'content-type': type } })
  expect(answer).toEqual(refusal('The body must be JSON, sent with the header "Content-Type: application/json".'))
})

test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
  'a body of type %s is JSON',
  async (type) => {
    expect(await post('{}', { key: app.keys.member, headers: { 'content-type': type } })).toEqual(refusal('repoUrl is required.'))
  },
)

test('a body of 2 MB is rejected with its size and the limit', async () => {
  expect(await post('x'.repeat(2_000_000))).toEqual({
    status: 413,
    body: {
      error: 'payload_too_large',
      message: 'The body has 2000000 bytes; at most 1048576 bytes are read here.',
      sizeBytes: 2_000_000,
      limitBytes: 1_048_576,
    },
  })
})

test('the address of a package is rejected with what can be added, and www. is not treated as another host', async () => {
  const packaged = await app.call('POST', '/api/parse', { repoUrl: 'https://www.npmjs.com/package/hono' })
  expect(packaged).toMatchObject({
    status: 400,
    body: {
      error: 'validation_error',
      fields: [{ path: 'repoUrl' }],
      message: expect.stringMatching(
        /^The documentation of Hono is in https:\/\/github\.com\/honojs\/website, but repositories are read only/,
      ),
    },
  })
  const repoUrl = `www.${new URL(app.git.url).host}/acme/open`
  expect(await app.call('POST', '/api/parse/preview', { repoUrl })).toMatchObject({ status: 200 })
})

test('a body of unknown length is read whole', async () => {
  const chunks = ReadableStream.from(['{"repo', 'Url":"file:///x"}'].map((text) => new TextEncoder().encode(text)))
  const headers = { 'content-type': 'application/json' }
  const response = await app.ask('/api/parse', { method: 'POST', key: app.keys.member, headers, body: chunks, duplex: 'half' })
  expect(await response.json()).toMatchObject({
    message: expect.stringContaining('The address is neither owner/repo nor one of a configured git host'),
  })
})

test('a body of unknown length is read up to the limit, and the client can read why', async () => {
  const chunks = ReadableStream.from(Array.from({ length: 30 }, () => new TextEncoder().encode('x'.repeat(100_000))))
  const headers = { 'content-type': 'application/json' }
  const response = await app.ask('/api/parse', { method: 'POST', key: app.keys.member, headers, body: chunks, duplex: 'half' })
  expect(response.status).toBe(413)
  expect(await response.json()).toEqual({
    error: 'payload_too_large',
    message: 'The body has more than 1048576 bytes; at most 1048576 bytes are read here.',
    limitBytes: 1_048_576,
  })
})

test('the right to parse is checked before the body', async () => {
  expect(await post('x'.repeat(2_000_000), {})).toMatchObject({ status: 401 })
})

test.each([
  'https://evil.example/a/b',
  'file:///etc/passwd',
  'ssh://git@github.com/a/b',
  'git@github.com:a/b.git',
  'http://127.1/a/b',
  'http://user:password@127.0.0.1/a/b',
  'http://127.0.0.1:1/a/b',
])('the repository %s is rejected without a request to its host', async (url) => {
  const before = app.git.requests.length
  expect(await post({ repoUrl: url })).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  expect(app.git.requests).toHaveLength(before)
})

test('the same owner and name on another host gets the longer id', async () => {
  app.app.settings.change({ 'gitlab.baseUrl': gitlab.url })
  const { status, body } = await post({ repoUrl: `${gitlab.url}/Acme/Widgets` })
  expect({ status, body }).toMatchObject({ status: 202, body: { project: '/gitlab/Acme~Widgets' } })
  await app.ended((body as { queueId: number }).queueId)
  expect((await app.call('DELETE', '/api/projects/gitlab/acme~widgets')).status).toBe(200)
})

test('the same owner and name on another host gets the longer id also while the first is only queued', async () => {
  app.app.settings.change({ 'gitlab.baseUrl': gitlab.url })
  await app.git.create('acme/queued', { files: { 'README.md': '# Queued\n\nQueued words.\n' } })
  app.git.misbehave('acme/queued', { kind: 'stall', at: 'refs' })
  const { queueId } = (await post({ repoUrl: repoUrl('acme/queued') })).body as { queueId: number }
  const other = await post({ repoUrl: `${gitlab.url}/Acme/Queued` })
  expect(other).toMatchObject({ status: 202, body: { project: '/gitlab/Acme~Queued' } })
  expect(await post({ repoUrl: repoUrl('Acme/Queued') })).toMatchObject({ status: 409, body: { error: 'job_active' } })
  for (const id of [queueId, (other.body as { queueId: number }).queueId]) await app.app.worker.cancel(id)
})

test('the branch in the address is indexed, and a different branch in the body is rejected', async () => {
  await app.git.create('acme/branches', { files: { 'README.md': '# Main\n\nMain words.\n' } })
  await app.git.commit('acme/branches', { files: { 'README.md': '# Next\n\nNext words.\n' }, branch: 'next' })
  const url = `${repoUrl('acme/branches')}/tree/next`
  expect(await post({ repoUrl: url, branch: 'main' })).toEqual(
    refusal('The address names the branch next, but branch is main. Send only one of them.'),
  )
  const { body } = await post({ repoUrl: url, branch: 'next' })
  await app.ended((body as { queueId: number }).queueId)
  expect(await app.json('/api/projects/acme/branches')).toMatchObject({ body: { branch: 'next', title: 'Next' } })
})

test('a caller without a key learns nothing about a private repository', async () => {
  app.app.settings.change({ 'github.token': 'sesame' })
  await app.parse('acme/secret')
  app.app.settings.change({ 'permissions.anonymousParse': true, 'gitlab.baseUrl': gitlab.url })
  expect(await post({ repoUrl: `${gitlab.url}/acme/secret` }, {})).toMatchObject({
    status: 401,
    body: { error: 'invalid_api_key' },
  })
})

test('a caller without a key gets the advice to wait if the host is down', async () => {
  app.app.settings.change({ 'permissions.anonymousParse': true })
  app.git.misbehave('acme/open', { kind: 'status', status: 503 })
  const answer = await post({ repoUrl: repoUrl('acme/open') }, {})
  app.git.misbehave('acme/open')
  const { host } = new URL(app.git.url)
  expect(answer).toEqual({
    status: 502,
    body: {
      error: 'provider_unavailable',
      message: `${repoUrl('acme/open')} cannot be checked now: The host ${host} responded with status 503. Try again later.`,
    },
  })
})

test('an unreadable token does not stop parses of public repositories, and the error of a private one has the reason', async () => {
  app.app.settings.change({ 'permissions.anonymousParse': true, 'github.token': 'sesame' })
  await rm(join(app.dataDir, 'secrets.key'))
  await app.git.create('acme/added', { files: { 'README.md': '# Added\n\nWords for everyone.\n' } })
  for (const init of [{}, { key: app.keys.member }]) {
    const { status, body } = await post({ repoUrl: repoUrl('acme/added') }, init)
    expect(status).toBe(202)
    expect(await app.ended((body as { queueId: number }).queueId)).toMatchObject({ state: 'done' })
  }
  expect(await app.parse('acme/secret')).toMatchObject({
    state: 'failed',
    error: expect.stringMatching(/^data_damaged: A stored secret cannot be read: /),
  })
})

test('a caller without a key can parse a public repository', async () => {
  app.app.settings.change({ 'permissions.anonymousParse': true, 'github.token': 'sesame' })
  await app.git.create('acme/given', { files: { 'README.md': '# Given\n\nWords for everyone.\n' } })
  const { status, body } = await post({ repoUrl: repoUrl('acme/given') }, {})
  expect(status).toBe(202)
  expect(await app.ended((body as { queueId: number }).queueId)).toMatchObject({ state: 'done' })
})

test.each([
  ['force', { force: true }],
  ['branch', { branch: 'next' }],
  ['versions', { versions: ['v1.0.0'] }],
  ['folders', { folders: [] }],
  ['excludeFolders', { excludeFolders: ['docs'] }],
  ['excludeFiles', { excludeFiles: ['README.md'] }],
  ['generateDocs', { generateDocs: true }],
  ['apiReference', { apiReference: true }],
])('a caller without a key may not use %s, neither for a new library nor for an existing one', async (field, choice) => {
  app.app.settings.change({ 'permissions.anonymousParse': true, 'permissions.anonymousRefresh': true })
  for (const repo of ['acme/widgets', 'acme/another'])
    expect(await post({ repoUrl: repoUrl(repo), ...choice }, {})).toMatchObject({
      status: 403,
      body: { error: 'forbidden', message: expect.stringContaining(`${field} requires an API key`) },
    })
})

test('a caller without a key may not use the address of a branch', async () => {
  app.app.settings.change({ 'permissions.anonymousParse': true })
  for (const path of ['/api/parse', '/api/v2/add/repo/github']) {
    const url = `${repoUrl('acme/branches')}/tree/next`
    const answer = await app.json(path, { method: 'POST', body: path === '/api/parse' ? { repoUrl: url } : { docsRepoUrl: url } })
    expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  }
})

test('a caller without a key refreshes an existing library with its settings if refreshing is open, and else cannot parse it', async () => {
  await app.git.create('acme/kept', {
    files: {
      'README.md': '# Kept\n\nAbout levers.\n',
      'docs/a.md': '# A\n\nAbout wheels.\n',
      'src/b.md': '# B\n\nAbout cranks.\n',
    },
  })
  await app.parse('acme/kept', { excludeFolders: ['src'] })
  const settings = () => app.app.catalog.settings({ owner: 'acme', repo: 'kept' })
  const before = settings()
  const requests = [
    () => post({ repoUrl: repoUrl('ACME/Kept') }, {}),
    () => app.json('/api/v2/add/repo/github', { method: 'POST', body: { docsRepoUrl: repoUrl('acme/kept') } }),
  ]
  app.app.settings.change({ 'permissions.anonymousParse': true })
  for (const ask of requests) expect(await ask()).toMatchObject({ status: 409, body: { error: 'duplicate_repo' } })
  expect(app.app.jobs.active()).toEqual([])

  app.app.settings.change({ 'permissions.anonymousRefresh': true })
  await app.git.commit('acme/kept', { files: { 'docs/a.md': '# A\n\nAbout gears.\n' } })
  for (const ask of requests) {
    expect((await ask()).status).toBeLessThan(300)
    await until(() => app.app.jobs.active().length === 0)
  }
  expect(settings()).toEqual(before)
  const asked = async (query: string) =>
    (await app.ask(`/api/v2/context?${new URLSearchParams({ libraryId: '/acme/kept', query })}`)).text()
  expect(await asked('gears')).toContain('About gears.')
  expect(await asked('cranks')).not.toContain('About cranks.')
})

/** Asks while the host answers a caller without a key slowly, and does `work` before the host answers. */
async function duringProbe<T>(repo: string, ask: () => Promise<T>, work: () => Promise<unknown>): Promise<T> {
  const [held, probe] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  app.git.misbehave(repo, { kind: 'hold', until: probe.promise, held: held.resolve })
  const answer = ask()
  await held.promise
  app.git.misbehave(repo)
  await work()
  probe.resolve()
  return answer
}

const twoFolders = { 'docs/a.md': '# A\n\nAbout wheels.\n', 'src/b.md': '# B\n\nAbout cranks.\n' }

test('a parse without a key does not replace a library that is added meanwhile', async () => {
  await app.git.create('acme/late', { files: twoFolders })
  app.app.settings.change({ 'permissions.anonymousParse': true })
  const answer = await duringProbe(
    'acme/late',
    () => post({ repoUrl: repoUrl('acme/late') }, {}),
    () => app.parse('acme/late', { folders: ['docs'] }),
  )
  expect(answer).toMatchObject({ status: 409, body: { error: 'duplicate_repo' } })
  expect(app.app.jobs.active()).toEqual([])
  expect(app.app.catalog.settings({ owner: 'acme', repo: 'late' })).toMatchObject({ folders: ['docs'] })
})

test('a refresh without a key keeps settings that change while its host responds', async () => {
  await app.git.create('acme/changed', { files: twoFolders })
  await app.parse('acme/changed')
  app.app.settings.change({ 'permissions.anonymousRefresh': true })
  const { status, body } = await duringProbe(
    'acme/changed',
    () => app.json('/api/projects/acme/changed/refresh', { method: 'POST' }),
    () => app.parse('acme/changed', { folders: ['docs'] }),
  )
  expect(status).toBe(202)
  await app.ended((body as { queueId: number }).queueId)
  expect(app.app.catalog.settings({ owner: 'acme', repo: 'changed' })).toMatchObject({ folders: ['docs'] })
})

test('a parse without a key does not change the job of a member', async () => {
  await app.git.create('acme/first', { files: twoFolders })
  app.app.settings.change({ 'permissions.anonymousParse': true })
  const { body } = await duringProbe(
    'acme/first',
    () => post({ repoUrl: repoUrl('acme/first'), folders: ['docs'] }),
    async () => {
      expect(await post({ repoUrl: repoUrl('acme/first') }, {})).toMatchObject({ status: 409, body: { error: 'job_active' } })
    },
  )
  await app.ended((body as { queueId: number }).queueId)
  expect(app.app.catalog.settings({ owner: 'acme', repo: 'first' })).toMatchObject({ folders: ['docs'] })
})

test.each(['before', 'while'])('a job of a caller without a key replaces no library that is added %s it runs', async (when) => {
  const [repo, id] = [`acme/added-${when}`, { owner: 'acme', repo: `added-${when}` }]
  await app.git.create(repo, { files: twoFolders })
  app.app.settings.change({ 'permissions.anonymousParse': true })
  const facts = { title: 'Imported', description: '', branch: 'main', sourceUrl: repoUrl(repo), private: false, aliases: [] }
  const add = async () => app.app.catalog.publish({ id: `/${repo}`, ...facts, settings: { folders: ['docs'] } }, [])
  await app.git.create(`acme/ahead-${when}`, { files: twoFolders })
  app.git.misbehave(`acme/ahead-${when}`, { kind: 'stall', at: 'refs' })
  const ahead = (await post({ repoUrl: repoUrl(`acme/ahead-${when}`) })).body as { queueId: number }
  const { queueId } = (await post({ repoUrl: repoUrl(repo) }, {})).body as { queueId: number }
  const endOther = () => app.app.worker.cancel(ahead.queueId)
  if (when === 'before') await add().then(endOther)
  else await duringProbe(repo, endOther, add)
  expect(await app.ended(queueId)).toMatchObject({ state: 'failed', error: expect.stringMatching(/^duplicate_repo: /) })
  expect(app.app.catalog.find(id)).toMatchObject({ title: 'Imported' })
  expect(app.app.catalog.settings(id)).toEqual({ folders: ['docs'] })
})

test('a caller without a key cannot parse an imported library', async () => {
  await app.git.create('acme/brought', { files: { 'README.md': '# Brought\n\nAbout levers.\n' } })
  await app.parse('acme/brought')
  const db = openDatabase(app.dataDir)
  db.exec("UPDATE libraries SET imported = 1 WHERE id = '/acme/brought'")
  db.close()
  app.app.settings.change({ 'permissions.anonymousParse': true, 'permissions.anonymousRefresh': true })
  expect(await post({ repoUrl: repoUrl('acme/brought') }, {})).toMatchObject({ status: 409, body: { error: 'duplicate_repo' } })
})

test('a repository that became private after an anonymous request is not read with the stored token', async () => {
  app.app.settings.change({ 'permissions.anonymousParse': true, 'github.token': 'sesame' })
  const files = { 'README.md': '# Once open\n\nOpen words until today.\n' }
  await app.git.create('acme/ahead', { files })
  await app.git.create('acme/closing', { files })
  app.git.misbehave('acme/ahead', { kind: 'stall', at: 'refs' })
  const ahead = (await post({ repoUrl: repoUrl('acme/ahead') })).body as { queueId: number }
  const closing = (await post({ repoUrl: repoUrl('acme/closing') }, {})).body as { queueId: number }
  await app.git.remove('acme/closing')
  await app.git.create('acme/closing', { files, private: '*:sesame' })
  const sent = sentTokens().length
  await app.app.worker.cancel(ahead.queueId)
  expect(await app.ended(closing.queueId)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining(`${repoUrl('acme/closing')} does not exist or is private`),
  })
  expect(sentTokens()).toHaveLength(sent)
})

test.each(['acme/secret', 'acme/nothing'])(
  'a caller without a key gets 401 for %s, and the stored token is never sent',
  async (repo) => {
    app.app.settings.change({ 'permissions.anonymousParse': true, 'github.token': 'sesame' })
    const before = sentTokens().length
    const { status, body } = await post({ repoUrl: repoUrl(repo) }, {})
    expect(status).toBe(401)
    expect(body).toEqual({
      error: 'invalid_api_key',
      message: `${repoUrl(repo)} does not exist or is not public; without a key of this install (carrel_op_…) only public repositories can be added.`,
    })
    expect(sentTokens()).toHaveLength(before)
  },
)

test('a member parses a private repository with the stored token, and a refresh of it requires a key', async () => {
  app.app.settings.change({ 'permissions.anonymousRefresh': true, 'github.token': 'sesame' })
  expect(await app.parse('acme/secret')).toMatchObject({ state: 'done' })
  expect(await app.json('/api/projects/acme/secret')).toMatchObject({ body: { private: true, source: 'Local (Private)' } })
  const sent = sentTokens().length
  expect(sent).toBeGreaterThan(0)
  expect(await app.json('/api/projects/acme/secret/refresh', { method: 'POST' })).toMatchObject({
    status: 401,
    body: { error: 'invalid_api_key' },
  })
  expect(sentTokens()).toHaveLength(sent)
})

test('an idle install returns exactly {"activeParses":{}}', async () => {
  expect(await (await app.ask('/api/parse-status')).text()).toBe('{"activeParses":{}}')
})

test.each([
  ['repoUrl', { repoUrl: 'acme open' }],
  ['branch', { repoUrl: 'acme/open/tree/main', branch: 'next' }],
  ['folders', { repoUrl: 'acme/open/tree/main/docs', folders: ['src'] }],
  ['generateDocs', { repoUrl: 'acme/open', generateDocs: true }],
])('a rejected %s is named, so that a form can show the error there', async (path, body) => {
  const { status, body: answer } = await post(body)
  const { message } = answer as { message: string }
  expect([status, (answer as { fields: unknown }).fields]).toEqual([400, [{ path, message }]])
})

test('an address that the public API rejects is named in the error', async () => {
  const answer = await app.json('/api/v2/add/repo/github', {
    method: 'POST',
    key: app.keys.member,
    body: { docsRepoUrl: 'acme open' },
  })
  expect(answer).toMatchObject({ status: 400, body: { fields: [{ path: 'docsRepoUrl' }] } })
})
