import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { apiUrl } from '../../../shared/reading/git/token-owner.ts'
import { secretNames, settingNames } from '../../../shared/settings/settings.ts'
import { startGitApi } from '../../fixtures/git-api.ts'
import type { ProviderServer } from '../../fixtures/providers/provider-server.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const token = 'ghp_0123456789abcdef'

let app: TestInstall
let host: ProviderServer
let elsewhere: ProviderServer

beforeAll(async () => {
  app = await testInstall({ limits: { probeMs: 2_000 } })
  host = await startGitApi({ [token]: 'ada', 'only-repositories': null })
  elsewhere = await startGitApi({ [token]: 'mallory' })
})
afterEach(() => {
  app.app.settings.change(Object.fromEntries([...settingNames, ...secretNames].map((name) => [name, null])))
  for (const each of [host, elsewhere]) {
    each.requests.length = 0
    each.failAlways()
  }
})
afterAll(async () => {
  await app.close()
  await Promise.all([host.close(), elsewhere.close()])
})

const tryOut = async (body: unknown, query = '') => (await app.call('POST', `/api/settings/test${query}`, body)).body
const github = () => ({ 'github.baseUrl': host.url, 'github.token': token })
const gitlab = () => ({ 'gitlab.baseUrl': host.url, 'gitlab.token': token })

test('the owner of each token is read from the API of its server', async () => {
  expect(await tryOut({ ...github(), ...gitlab() })).toEqual({
    github: { ok: true, login: 'ada' },
    gitlab: { ok: true, login: 'ada' },
  })
  expect(host.requests.map(({ path }) => path).sort()).toEqual(['/api/v3/user', '/api/v4/user'])
})

test('GitHub in the cloud and a separate GitHub server have different addresses for their API', () => {
  const github = (baseUrl: string) => apiUrl({ platform: 'github', baseUrl })
  expect(github('https://github.com')).toBe('https://api.github.com')
  expect(github('https://acme.ghe.com')).toBe('https://api.acme.ghe.com')
  expect(github('https://git.acme.example/github')).toBe('https://git.acme.example/github/api/v3')
  expect(apiUrl({ platform: 'gitlab', baseUrl: 'https://gitlab.com' })).toBe('https://gitlab.com/api/v4')
})

test('a token that may only read repositories passes without a name', async () => {
  const narrow = 'only-repositories'
  expect(await tryOut({ ...github(), ...gitlab(), 'github.token': narrow, 'gitlab.token': narrow })).toEqual({
    github: { ok: true, login: null },
    gitlab: { ok: true, login: null },
  })
})

test('a host without a token is tested by name: it passes if it responds like one of its platform', async () => {
  const address = { 'github.baseUrl': host.url, 'gitlab.baseUrl': host.url }
  expect(await tryOut(address, '?only=github')).toEqual({ github: { ok: true, login: null } })
  expect(await tryOut(address, '?only=gitlab')).toEqual({ gitlab: { ok: true, login: null } })
  expect(host.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])
  expect(await tryOut({ 'github.baseUrl': `${host.url}/wiki` }, '?only=github')).toMatchObject({
    github: { ok: false, error: expect.stringMatching(/did not respond like a GitHub server \(404\)/) },
  })
  expect(await tryOut(address)).toEqual({})
})

test('a rejected token fails with advice, and neither the response nor the log has the token', async () => {
  const wrong = 'glpat-wrong-0123456789'
  const answer = await tryOut({ ...gitlab(), 'gitlab.token': wrong })
  const name = new URL(host.url).host
  expect(answer).toEqual({
    gitlab: {
      ok: false,
      login: null,
      error: `${name} rejected the token (401). Create a new one there, and save it as gitlab.token.`,
    },
  })
  expect(JSON.stringify([answer, app.log.lines])).not.toContain(wrong)
})

test('an error message of a host is shown on one line, without the token', async () => {
  host.failAlways({ kind: 'status', status: 503, message: `maintenance\u202E\nof ${token}.` })
  expect(await tryOut(github())).toEqual({
    github: {
      ok: false,
      login: null,
      error: `${new URL(host.url).host} responded with status 503: maintenance of ***.`,
    },
  })
})

test('an address without such an API, one that redirects and one that does not respond fail with the host', async () => {
  const errorOf = async (changes: Record<string, unknown>) => ((await tryOut(changes)).github as { error: string }).error
  expect(await errorOf({ ...github(), 'github.baseUrl': `${host.url}/wiki` })).toMatch(
    /did not respond like a GitHub server \(404\)/,
  )
  host.failAlways({ kind: 'redirect', to: elsewhere.url })
  expect(await errorOf(github())).toMatch(/did not respond like a GitHub server \(307\). Check github.baseUrl/)
  expect(elsewhere.requests).toEqual([])
  host.failAlways({ kind: 'silent' })
  expect(await errorOf(github())).toMatch(/did not respond within 2 s/)
  host.failAlways({ kind: 'reset' })
  expect(await errorOf(github())).toMatch(/cannot be reached/)
  host.failAlways({ kind: 'endless' })
  expect(await errorOf(github())).toMatch(/did not respond like a GitHub server \(it sent more than 16 MB\)/)
})

test('a stored token is sent only to the address that it was saved with', async () => {
  app.app.settings.change(github())
  expect(await tryOut({})).toEqual({ github: { ok: true, login: 'ada' } })
  expect(await tryOut({ 'github.baseUrl': elsewhere.url })).toEqual({})
  expect(await tryOut({ 'gitlab.baseUrl': host.url })).toEqual({ github: { ok: true, login: 'ada' } })
  expect(await tryOut({ 'github.token': null })).toEqual({})
  expect(elsewhere.requests).toEqual([])
})

test('the parameter `only` limits the test to one service', async () => {
  expect(await tryOut({ ...github(), ...gitlab(), 'llm.provider': 'openai' }, '?only=gitlab')).toEqual({
    gitlab: { ok: true, login: 'ada' },
  })
  expect(host.requests.map(({ path }) => path)).toEqual(['/api/v4/user'])
  expect(await tryOut({ ...github(), 'llm.provider': 'openai' }, '?only=llm')).toEqual({
    llm: expect.objectContaining({ ok: false }),
  })
  expect(await app.json('/api/settings/test?only=gitea', { method: 'POST', key: app.keys.admin, body: {} })).toMatchObject({
    status: 400,
    body: { fields: [{ path: 'only' }] },
  })
})
