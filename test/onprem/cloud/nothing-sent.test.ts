import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { openPolicy } from '../../../shared/policy/policy.ts'
import { readResponse } from '../../fixtures/read-response.ts'
import { type RecordedRequest, type RecordingServer, recordingServer } from '../../fixtures/recording-server.ts'
import { type InstallOptions, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

async function hostedThat(answer: (request: RecordedRequest, response: ServerResponse) => void): Promise<RecordingServer> {
  const server = await recordingServer(answer)
  opened.push(server)
  return server
}

async function install(options: InstallOptions): Promise<TestInstall> {
  const here = await testInstall(options)
  opened.push(here)
  await here.git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever of a widget.\n' } })
  await here.parse('acme/widgets')
  return here
}

/** The hosted service answers in time, however slow the machine is. */
const patient = { limits: { hostedMs: 30_000 } }

const get = async ({ ask }: TestInstall, path: string, key?: string) =>
  readResponse(await ask(path, key === undefined ? {} : { key }))

const search = (here: TestInstall, libraryName: string) =>
  get(here, `/api/v2/libs/search?${new URLSearchParams({ libraryName })}`)
const context = (here: TestInstall, libraryId: string) =>
  get(here, `/api/v2/context?${new URLSearchParams({ libraryId, query: 'turn the lever' })}`)
const nobody = (_: RecordedRequest, response: ServerResponse) => void response.writeHead(500).end()

async function askEverything(here: TestInstall, [status, error] = [404, 'library_not_found'] as [number, string]): Promise<void> {
  expect((await search(here, 'widgets')).body.results).toHaveLength(1)
  expect(await search(here, 'zzqqxx')).toMatchObject({ status: 404, body: { error: 'no_libraries_found' } })
  expect((await context(here, '/acme/widgets')).status).toBe(200)
  expect(await context(here, '/other/gadgets')).toMatchObject({ status, body: { error } })
}

const disableAll = {
  sourceTypes: { disable: ['public_repos', 'private_sources', 'confluence', 'uploaded_files', 'websites', 'llmstxt'] },
}

test('an install with an offline license never contacts the hosted service, and keeps its policies', async () => {
  const hosted = await hostedThat(nobody)
  const here = await install({ license: { kind: 'offline', cloudUrl: hosted.url } })
  await askEverything(here)
  const { admin } = here.keys
  expect((await get(here, '/api/v2/policies', admin)).body).toEqual({
    ...openPolicy(),
    accessibleLibraryCount: 0,
    unknownSignals: [],
  })
  const changed = await here.call('PATCH', '/api/v2/policies', { libraryFilters: { mode: 'select' } })
  expect(changed).toMatchObject({ status: 200, body: { libraryFilters: { mode: 'select' }, accessibleLibraryCount: 0 } })
  expect((await get(here, '/api/v2/policies', admin)).body).toEqual(changed.body)
  await askEverything(here)
  expect(hosted.connections).toBe(0)
})

test('an install whose license has expired sends no requests to the hosted service, and rejects policies', async () => {
  const hosted = await hostedThat(nobody)
  let now = new Date()
  const expiresAt = new Date(now.getTime() + 3_600_000).toISOString()
  const here = await install({ license: { cloudUrl: hosted.url, expiresAt }, ...patient, now: () => now })
  await search(here, 'widgets')
  const before = hosted.requests.length
  expect(before).toBeGreaterThan(0)
  now = new Date(Date.parse(expiresAt) + 1)
  await askEverything(here, [403, 'forbidden'])
  expect((await search(here, 'widgets')).headers.get('x-carrel-hosted')).toBe('unavailable')
  expect((await search(here, 'zzqqxx')).body.message).toMatch(/Only this install was searched: The license expired on/)
  const { admin, member } = here.keys
  expect(await get(here, '/api/v2/policies', admin)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  expect(await here.call('PATCH', '/api/v2/policies', '{')).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  expect((await get(here, '/api/v2/policies', member)).status).toBe(403)
  expect((await get(here, '/api/v2/policies')).status).toBe(401)
  expect(hosted.requests).toHaveLength(before)
})

test('an install with every source type disabled sends only the policy itself, also after a change', async () => {
  const hosted = await hostedThat(nobody)
  const here = await install({ license: { cloudUrl: hosted.url } })
  expect((await here.call('PATCH', '/api/v2/policies', disableAll)).status).toBe(200)
  const before = hosted.requests.length
  await askEverything(here)
  await get(here, '/api/v2/policies', here.keys.admin)
  expect(hosted.requests).toHaveLength(before)
  expect(hosted.requests.filter(({ url }) => url !== '/api/v2/policies')).toEqual([])
})

describe('a hosted service', () => {
  test('does not delay local answers if it never responds', async () => {
    const hosted = await hostedThat(() => undefined)
    const here = await install({ license: { cloudUrl: hosted.url } })
    expect((await context(here, '/acme/widgets')).status).toBe(200)
    const found = await search(here, 'widgets')
    expect([found.status, found.headers.get('x-carrel-hosted')]).toEqual([200, 'unavailable'])
    expect(await context(here, '/other/gadgets')).toMatchObject({
      status: 504,
      body: { error: 'timeout', message: 'The hosted service did not respond in time. Try again in a moment.' },
    })
  })

  test('is not followed if it redirects, and only it gets the license key, as a header', async () => {
    const elsewhere = await hostedThat(nobody)
    const hosted = await hostedThat(({ url }, response) => {
      const policy = JSON.stringify({ ...openPolicy(), accessibleLibraryCount: 1 })
      if (url.startsWith('/api/v2/policies')) response.writeHead(200, { 'content-type': 'application/json' }).end(policy)
      else response.writeHead(307, { location: `${elsewhere.url}${url}` }).end()
    })
    const here = await install({ license: { cloudUrl: hosted.url }, ...patient })
    expect((await search(here, 'widgets')).headers.get('x-carrel-hosted')).toBe('unavailable')
    expect((await context(here, '/other/gadgets')).status).toBe(503)
    expect(elsewhere.connections).toBe(0)
    expect(hosted.requests.length).toBeGreaterThan(1)
    for (const { url, headers } of hosted.requests) {
      expect(headers.authorization).toBe(`Bearer ${here.licenseKey}`)
      expect(url).not.toContain(here.licenseKey)
    }
    expect(here.log.text()).not.toContain(here.licenseKey)
  })

  test.each([
    ['does not know the license', 401, { error: 'invalid_api_key', message: 'This license was revoked.' }, 403, 'forbidden'],
    ['has enough of us', 429, { error: 'rate_limit_exceeded', message: 'Too many.' }, 429, 'rate_limit_exceeded'],
    ['has moved a library', 301, { error: 'library_redirected', message: 'x', redirectUrl: '/a/b' }, 404, 'library_not_found'],
    ['says something unheard of', 418, { error: 'teapot', message: 'x' }, 503, 'search_failed'],
    ['answers nothing', 200, '', 404, 'no_snippets_found'],
  ])(
    'makes a context fail with the reason, but not a search, if it %s',
    {
      timeout: 60_000,
    },
    async (_, given, body, status, error) => {
      const hosted = await hostedThat((_request, response) => {
        response.writeHead(given, { 'content-type': 'application/json' }).end(body === '' ? '' : JSON.stringify(body))
      })
      const here = await install({ license: { cloudUrl: hosted.url }, ...patient })
      expect(await context(here, '/other/gadgets')).toMatchObject({ status, body: { error } })
      const found = await search(here, 'widgets')
      expect([found.status, found.headers.get('x-carrel-hosted')]).toEqual([200, 'unavailable'])
    },
  )
})
