import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer } from '../../../functions/server.ts'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { rawRequest } from '../../fixtures/raw-request.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
const keys = { own: '', strange: '', online: '', offline: '' }

beforeAll(async () => {
  hosted = await testHosted()
  for (const repo of ['acme/docs', 'acme/more', 'acme/down'])
    await hosted.git.create(repo, { files: { 'README.md': '# Docs\n\nTurn the lever.\n' } })
  expect(await hosted.add('acme/docs')).toMatchObject({ state: 'finalized' })
  keys.own = (await hosted.keyOf('Acme')).key
  keys.strange = (await hosted.keyOf('Strangers')).key
  await hosted.run('own', { library: '/acme/docs', teamspace: 'Acme' })
  const { privatePem } = developmentPair(hosted.dataDir, 'license')
  for (const kind of ['online', 'offline'] as const)
    keys[kind] = await signLicense({ id: kind, customer: 'Acme', kind, expiresAt: '2099-01-01T00:00:00.000Z' }, privatePem)
})
afterAll(() => hosted.close())

type Sent = { key?: keyof typeof keys; headers?: Record<string, string>; body?: unknown; text?: string }

/** The status of an answer, which must be in the OpenAPI document as it is. */
async function statusOf(method: string, path: string, { key, headers, body, text }: Sent = {}): Promise<number> {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const answer = await fetch(hosted.url + path, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${keys[key]}` }),
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent }),
  })
  await hosted.answers.check(method, path, answer)
  return answer.status
}

/** Each operation with the key that it needs and a body that it takes. */
const operations: { method: string; path: string; key?: keyof typeof keys; body?: unknown }[] = [
  { method: 'GET', path: '/api/health' },
  { method: 'GET', path: '/api/ready' },
  { method: 'GET', path: '/api/openapi.json' },
  { method: 'GET', path: '/api/auth/mcp' },
  { method: 'GET', path: '/api/v2/libs/search?libraryName=docs' },
  { method: 'GET', path: '/api/v2/context?libraryId=/acme/docs&query=lever' },
  { method: 'GET', path: '/api/v2/context?libraryId=/acme/docs&query=lever&type=json' },
  { method: 'GET', path: '/api/v2/context?libraryIds=/acme/docs,/acme/none&query=lever&type=json' },
  { method: 'GET', path: '/api/v2/search?query=lever' },
  { method: 'GET', path: '/api/v2/libs/acme/docs/pages' },
  { method: 'GET', path: '/api/v2/libs/acme/docs/pages?type=txt' },
  { method: 'GET', path: '/api/v2/libs/acme/docs/pages/README.md' },
  { method: 'GET', path: '/api/v2/libs/acme/docs/pages/README.md?type=txt' },
  { method: 'GET', path: '/api/v2/libs/metrics?libraryId=/acme/docs', key: 'own' },
  { method: 'POST', path: '/api/v2/libs/view', body: { libraryId: '/acme/docs' } },
  { method: 'GET', path: '/api/v2/policies', key: 'online' },
  { method: 'PATCH', path: '/api/v2/policies', key: 'online', body: { libraryFilters: { mode: 'quality' } } },
  { method: 'POST', path: '/api/v2/policies/preview', key: 'online', body: { libraryFilters: { mode: 'quality' } } },
  {
    method: 'POST',
    path: '/api/v2/takedowns',
    body: { library: '/acme/docs', contact: 'ada@example.com', reason: 'It is ours.' },
  },
  { method: 'POST', path: '/api/v1/refresh', key: 'own', body: { libraryName: '/acme/docs' } },
  { method: 'POST', path: '/api/v2/add/repo/github', key: 'own', body: { docsRepoUrl: 'GIT/acme/more' } },
  { method: 'POST', path: '/api/v2/add/repo/gitlab', key: 'own', body: { docsRepoUrl: 'GIT/acme/more' } },
  { method: 'POST', path: '/api/v2/add/repo/bitbucket', key: 'own', body: { docsRepoUrl: 'GIT/acme/more' } },
  { method: 'POST', path: '/api/v2/add/repo/git', key: 'own', body: { docsRepoUrl: 'GIT/acme/more' } },
  { method: 'POST', path: '/api/v2/add/openapi', key: 'own', body: { openApiUrl: 'https://docs.example.com/openapi.json' } },
  { method: 'POST', path: '/api/v2/add/llmstxt', key: 'own', body: { llmstxtUrl: 'https://docs.example.com/llms.txt' } },
  { method: 'POST', path: '/api/v2/add/website', key: 'own', body: { websiteUrl: 'https://docs.example.com/' } },
  { method: 'POST', path: '/api/v1/enterprise/export', key: 'offline', body: { library: 'acme/docs' } },
]
const keyed = operations.filter(({ path }) => /^\/api\/v[12]\//.test(path))

test('every operation rejects a Host of another machine', async () => {
  for (const { method, path } of operations) {
    const answer = await rawRequest(hosted.url + path, { method, headers: { host: 'example.com' } })
    await hosted.answers.check(method, path, answer)
    expect(answer.status, path).toBe(403)
  }
})

test('an unknown key is rejected, and so are two different ones', async () => {
  for (const { method, path } of keyed) {
    expect(await statusOf(method, path, { headers: { authorization: 'Bearer nonsense' } }), path).toBe(401)
    expect(await statusOf(method, path, { headers: { authorization: 'Bearer a', 'x-api-key': 'b' } }), path).toBe(400)
  }
})

test('a body that is too large or not valid is rejected', async () => {
  for (const { method, path, key } of keyed.filter(({ body }) => body !== undefined)) {
    expect(await statusOf(method, path, { key, text: JSON.stringify({ x: 'x'.repeat(2 ** 20) }) }), path).toBe(413)
    expect(await statusOf(method, path, { key, text: '{' }), path).toBe(400)
  }
})

test('each operation returns its declared response', async () => {
  const refused = new Map<string, number>()
  for (const { method, path, key, body } of operations) {
    const text = body === undefined ? undefined : JSON.stringify(body).replace('GIT', hosted.git.url)
    const status = await statusOf(method, path, { key, text })
    if (status !== 200 && status !== 202) refused.set(path, status)
  }
  // The repository is on GitHub, and the host of the other sources is not listed.
  const others = ['repo/gitlab', 'repo/bitbucket', 'repo/git', 'openapi', 'llmstxt', 'website']
  expect([...refused]).toEqual(others.map((kind) => [`/api/v2/add/${kind}`, 400]))
})

test('missing, forbidden and duplicate libraries are reported', async () => {
  expect(await statusOf('GET', '/api/v2/libs/search?libraryName=zzqqxx')).toBe(404)
  expect(await statusOf('GET', '/api/v2/libs/search?libraryName=')).toBe(400)
  expect(await statusOf('GET', '/api/v2/context?libraryId=/acme/none&query=x')).toBe(404)
  expect(await statusOf('GET', '/api/v2/context?libraryId=acme&query=x')).toBe(400)
  expect(await statusOf('GET', '/api/v2/search?query=zzqqxx')).toBe(404)
  expect(await statusOf('GET', '/api/v2/search')).toBe(400)
  for (const page of ['', '/README.md']) {
    expect(await statusOf('GET', `/api/v2/libs/acme/none/pages${page}`)).toBe(404)
    expect(await statusOf('GET', `/api/v2/libs/acme/docs/pages${page}?type=pdf`)).toBe(400)
  }
  expect(await statusOf('POST', '/api/v2/libs/view', { body: { libraryId: '/acme/none' } })).toBe(404)
  expect(await statusOf('GET', '/api/v2/libs/metrics?libraryId=/acme/none', { key: 'own' })).toBe(404)
  expect(await statusOf('GET', '/api/v2/libs/metrics?libraryId=/acme/docs', { key: 'strange' })).toBe(403)
  expect(await statusOf('POST', '/api/v1/refresh', { key: 'own', body: { libraryName: '/acme/none' } })).toBe(404)
  const branch = { libraryName: '/acme/docs', branch: 'other' }
  expect(await statusOf('POST', '/api/v1/refresh', { key: 'strange', body: branch })).toBe(403)
  const add = (repo: string) =>
    statusOf('POST', '/api/v2/add/repo/github', { key: 'own', body: { docsRepoUrl: `${hosted.git.url}/acme/${repo}` } })
  expect(await add('docs')).toBe(409)
  expect(await add('none')).toBe(404)
  expect(await statusOf('POST', '/api/v1/enterprise/export', { key: 'offline', body: { library: 'acme/none' } })).toBe(404)

  hosted.git.misbehave('acme/down', { kind: 'status', status: 503 })
  expect(await add('down')).toBe(502)
  hosted.git.misbehave('acme/docs', { kind: 'stall', at: 'refs' })
  const refresh = () => statusOf('POST', '/api/v1/refresh', { key: 'own', body: { libraryName: '/acme/docs' } })
  await expect.poll(refresh).toBe(409)
  hosted.git.misbehave('acme/docs')
})

test('a service whose stores cannot be read is not ready', async () => {
  const closed = createServer({ ...hosted.hosted, ready: async () => false })
  const answer = await closed.request('/api/ready', { headers: { host: '127.0.0.1' } })
  await hosted.answers.check('GET', '/api/ready', answer)
  expect(answer.status).toBe(503)
})

/** The reasons why no test here gets a declared answer. An answer that a test gets must leave this list. */
const reasons: [pattern: RegExp, why: string][] = [
  [/ 500$/, 'only a bug or a store that fails'],
  [/ 429$/, 'more requests than the limits of a stage, see test/functions/routes/rate-limits.test.ts'],
  [/ 507$/, 'only a full disk of one machine'],
  [
    /^GET \/v2\/(context|search|libs\/(search|\{owner\}\S+)) 503$/,
    'too many waiting questions, see test/onprem/waiting-questions.test.ts',
  ],
  [
    /^(POST|PATCH) \S+ 503$/,
    'too many bodies, changes of one policy or of one library at the same time, or an export whose content cannot be read',
  ],
  [/enterprise\/export (303|422)$/, 'exports above 200 MB, see test/functions/routes/export.test.ts'],
  [/ 412$/, 'see test/functions/queries/policy-ports.test.ts'],
  [/ 504$/, 'a git host that does not respond in time, see test/shared/reading/git/probe-git.test.ts'],
  [
    /^POST \/v2\/add\/repo\/(gitlab|bitbucket|git) (200|404|409|502)$/,
    'the same code as github; only public hosts are of these kinds here',
  ],
  [/^POST \/v2\/add\/(openapi|llmstxt|website) (200|404|409|502)$/, 'see test/functions/jobs/add-sources.test.ts'],
  [
    /^POST \/v2\/add\/openapi-upload(\/start)? (20|40|41)\d$/,
    'a form, see test/functions/jobs/add-upload.test.ts and the table of access',
  ],
  [/^POST \/v2\/add\/confluence (20|40|41)\d$/, 'see test/functions/jobs/add-confluence.test.ts and the table of access'],
]

test('every declared response is tested, or a reason is listed', async () => {
  const declared = await hosted.answers.declared()
  const isExplained = ({ name }: { name: string }) => reasons.some(([pattern]) => pattern.test(name))
  const unseen = declared.filter(({ isSeen }) => !isSeen)
  expect(unseen.map(({ name }) => name)).toEqual(declared.filter(isExplained).map(({ name }) => name))
  expect(reasons.filter(([pattern]) => !unseen.some(({ name }) => pattern.test(name)))).toEqual([])
})
