import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Door, openDoor } from '../../fixtures/door.ts'
import { readResponse } from '../../fixtures/read-response.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'
import { type InstallOptions, type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { waitOf } from '../../fixtures/wait-of.ts'

let hosted: TestHosted
let door: Door
let here: TestInstall

const pages = (title: string, word: string) => ({
  'carrel.json': JSON.stringify({ previousVersions: [{ tag: 'v1' }] }),
  'README.md': `# ${title}\n\nTurn the ${word} of it.\n\n## Code\n\n\`\`\`js\nturn('${word}')\n\`\`\`\n`,
})

/** An online license that the hosted half trusts. It answers in time, however slow the machine is. */
const licensed = (id?: string): InstallOptions => ({
  license: { cloudUrl: door.url, ...(id !== undefined && { id }) },
  limits: { hostedMs: 30_000 },
  beforeStart: (publicPem) => hosted.hosted.licenses.trust(publicPem),
})

const get = async (path: string, key?: string, install = here) =>
  readResponse(await install.ask(path, key === undefined ? {} : { key }))

beforeAll(async () => {
  hosted = await testHosted()
  for (const repo of ['acme/widgets', 'other/widgets', 'other/cogs']) {
    const title = repo.endsWith('cogs') ? 'Cogs' : 'Widgets'
    await hosted.git.create(repo, { files: pages(title, `hosted ${repo.replace('/', ' ')}`), tags: ['v1'] })
    expect(await hosted.add(repo)).toMatchObject({ state: 'finalized' })
  }
  door = await openDoor(hosted.url)
  here = await testInstall(licensed())
  await here.git.create('acme/widgets', { files: pages('Widgets', 'local acme') })
  await here.parse('acme/widgets')
})
afterAll(async () => {
  await here?.close()
  await door?.close()
  await hosted?.close()
})
afterEach(async () => {
  door.open()
  await change({
    sourceTypes: { enable: ['public_repos', 'websites', 'llmstxt', 'confluence', 'uploaded_files', 'private_sources'] },
    libraryFilters: { mode: null, quality: { blockedLibraries: { clear: true }, minTrustScore: null } },
  })
})

const change = async (body: unknown) =>
  readResponse(
    await here.ask('/api/v2/policies', {
      method: 'PATCH',
      key: here.keys.admin,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
const search = (libraryName: string) => get(`/api/v2/libs/search?${new URLSearchParams({ libraryName })}`)
const context = (libraryId: string, more: Record<string, string> = {}) =>
  get(`/api/v2/context?${new URLSearchParams({ libraryId, query: 'turn the code of it', ...more })}`)
const ids = ({ body }: { body: Record<string, unknown> }) =>
  (body.results as { id: string; source: string }[]).map(({ id, source }) => `${id} ${source}`)
const there = async () =>
  (await hosted.get('/api/v2/policies', { authorization: `Bearer ${here.licenseKey}` })).json() as Promise<
    Record<string, unknown>
  >
const policyOf = ({ sourceTypes, libraryFilters }: Record<string, unknown>) => ({ sourceTypes, libraryFilters })
const countRequests = () => {
  const counted = { requests: 0 }
  door.shut(() => {
    counted.requests += 1
    return undefined
  })
  return counted
}

describe('a search', () => {
  test('returns local libraries first and hosted ones after them, each with its source, and none twice', async () => {
    const found = await search('widgets')
    expect(ids(found)).toEqual(['/acme/widgets Local', '/other/widgets Hosted: Git'])
    expect(found.body.searchFilterApplied).toBe(false)
    expect(found.headers.get('x-carrel-hosted')).toBe('answered')
  })

  test('returns an exact match of the hosted service before local libraries that do not match exactly', async () => {
    const found = await search('acme/cogs')
    expect(ids(found)).toEqual(['/other/cogs Hosted: Git', '/acme/widgets Local'])
    expect([found.body.exact, (await search('acme/levers')).body.exact]).toEqual([undefined, false])
  })

  test('finds libraries that only the hosted service has, and returns 404 if neither has one', async () => {
    expect(ids(await search('cogs'))).toEqual(['/other/cogs Hosted: Git'])
    expect(await search('zzqqxx')).toMatchObject({
      status: 404,
      body: { error: 'no_libraries_found', message: expect.stringMatching(/The hosted service has no match either\.$/) },
    })
  })

  test('returns local libraries in time while the hosted service is down, and reports it', async () => {
    door.shut(() => 'cut')
    const found = await search('widgets')
    expect(ids(found)).toEqual(['/acme/widgets Local'])
    expect(found.headers.get('x-carrel-hosted')).toBe('unavailable')
    const none = await search('cogs')
    expect(none).toMatchObject({ status: 404, body: { error: 'no_libraries_found' } })
    expect(none.body.message).toContain('Only this install was searched')
    door.open()
    expect(ids(await search('cogs'))).toEqual(['/other/cogs Hosted: Git'])
  })
  test('does not claim that there are no libraries at all if only the install has none', async () => {
    const empty = await testInstall(licensed())
    try {
      const missed = await get('/api/v2/libs/search?libraryName=zzqqxx', undefined, empty)
      expect(missed.body.message).toMatch(/^No library matches "zzqqxx"\. .* The hosted service has no match either\.$/)
      door.shut(() => 'cut')
      const alone = await get('/api/v2/libs/search?libraryName=cogs', undefined, empty)
      expect(alone.body.message).toMatch(
        /^No library matches "cogs"\. .* Only this install was searched: The hosted service cannot/,
      )
      expect(`${missed.body.message} ${alone.body.message}`).not.toContain('none has been added')
    } finally {
      await empty.close()
    }
  })
})

describe('a context', () => {
  test('is returned locally for a local library and not requested from the hosted service', async () => {
    const counted = countRequests()
    for (const id of ['/acme/widgets', '/ACME/Widgets']) {
      const { status, text, headers } = await context(id)
      expect([status, headers.get('x-carrel-hosted')]).toEqual([200, null])
      expect(text).toContain('local acme')
    }
    expect(await context('/acme/widgets@v1')).toMatchObject({ status: 404, body: { error: 'tag_not_found' } })
    expect((await context('/acme/widgets', { query: 'zzqqxx' })).body.error).toBe('no_snippets_found')
    expect(counted.requests).toBe(0)
  })

  test('is returned as the hosted service sends it for a hosted library, as text and as JSON', async () => {
    for (const type of ['txt', 'json']) {
      const given = await hosted.get(
        `/api/v2/context?${new URLSearchParams({ libraryId: '/other/cogs', query: 'turn the code of it', type })}`,
      )
      const passed = await context('/other/cogs', { type })
      expect([passed.status, passed.headers.get('x-carrel-hosted'), passed.headers.get('x-carrel-search')]).toEqual([
        200,
        'answered',
        'text',
      ])
      expect(passed.headers.get('content-type')).toContain(type === 'json' ? 'application/json' : 'text/plain')
      expect(type === 'json' ? passed.body : passed.text).toEqual(type === 'json' ? await given.json() : await given.text())
    }
    expect((await context('/other/cogs@v1')).text).toContain('hosted other cogs')
  })

  test('is counted at the hosted service, not in this install, for a hosted library', async () => {
    const id = '/other/widgets'
    await hosted.run('own', { library: id, teamspace: (await hosted.keyOf('Other')) && 'Other' })
    const { key } = await hosted.keyOf('Other')
    await callMcp(id)
    const url = `/api/v2/libs/metrics?${new URLSearchParams({ libraryId: id })}`
    await until(async () => {
      const { total } = (await (await hosted.get(url, { authorization: `Bearer ${key}` })).json()) as { total: { mcp: number } }
      return total.mcp === 1
    })
    expect((await get(url, here.keys.member)).body.error).toBe('library_not_found')
  })

  test.each([
    ['/other/none', 404, 'library_not_found'],
    ['/other/cogs@v9', 404, 'tag_not_found'],
    ['cogs', 400, 'invalid_library_id'],
  ])('is rejected for %s with %i %s', async (id, status, error) => {
    expect(await context(id)).toMatchObject({ status, body: { error } })
  })

  test('fails with a sentence for a hosted library while the hosted service is down, and no other request fails', async () => {
    door.shut(() => 'cut')
    expect(await context('/other/cogs')).toMatchObject({
      status: 503,
      body: { error: 'search_failed', message: expect.stringContaining('The hosted service cannot be reached now.') },
    })
    expect((await context('/acme/widgets')).status).toBe(200)
    door.shut(() => ({ status: 500, type: 'text/html', body: '<h1>Oops</h1>' }))
    expect(await context('/other/cogs')).toMatchObject({ status: 503, body: { error: 'search_failed' } })
    door.shut(() => ({ status: 200, type: 'application/json', body: '{"results": 1}' }))
    expect((await search('widgets')).headers.get('x-carrel-hosted')).toBe('unavailable')
  })

  test('reports the rate limit of the hosted service with the time to wait', async () => {
    const body = JSON.stringify({ error: 'rate_limit_exceeded', message: 'Slow down.' })
    const headers = { 'retry-after': '7', 'ratelimit-limit': '20', 'ratelimit-remaining': '0', 'ratelimit-reset': '99' }
    door.shut(() => ({ status: 429, type: 'application/json', body, headers }))
    const refused = await context('/other/cogs')
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded', message: 'Slow down.' } })
    expect(waitOf(refused.headers)).toEqual({ retryAfter: 7, limit: 20, remaining: 0, resets: true })
  })
})

async function callMcp(libraryId: string, name = 'query-docs', more: Record<string, string> = {}): Promise<string> {
  const client = new Client({ name: 'codex-mcp-client', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${here.url}/mcp`)) as never)
  const args = { libraryId, query: 'turn the code of it', ...more }
  const answer = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] }
  await client.close()
  return answer.content[0]?.text ?? ''
}

test('clients of /mcp find and read hosted libraries, and learn when only this install was searched', async () => {
  const find = () => callMcp('', 'resolve-library-id', { libraryName: 'widgets' })
  expect(await find()).toMatch(
    /ID: \/acme\/widgets\n[\s\S]*ID: \/other\/widgets\n[\s\S]*Code Snippets: 1\n[\s\S]*Source: Hosted: Git/,
  )
  expect(await callMcp('/other/cogs')).toContain('hosted other cogs')
  door.shut(() => 'cut')
  const alone = await find()
  expect(alone).toContain('The hosted service did not answer in time')
  expect(alone).not.toContain('/other/widgets')
  expect(await callMcp('/other/cogs')).toContain('The hosted service cannot be reached now.')
})

describe('a policy', () => {
  test('is stored locally, pushed to the hosted half and applied on both sides, but never to local content', async () => {
    const quality = { blockedLibraries: { add: ['/other/widgets', '/acme'] }, minTrustScore: 3 }
    const changed = await change({ libraryFilters: { mode: 'quality', quality } })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        libraryFilters: { mode: 'quality', quality: { minTrustScore: 3, blockedLibraries: ['/other/widgets', '/acme'] } },
        accessibleLibraryCount: 1,
        unknownSignals: [{ filter: 'minTrustScore', libraries: 3 }],
      },
    })
    expect(changed.headers.get('x-carrel-hosted')).toBeNull()
    expect(policyOf(await there())).toEqual(policyOf(changed.body))
    const { body } = await get('/api/v2/policies', here.keys.admin)
    expect(body).toEqual(changed.body)

    const found = await search('widgets')
    expect(ids(found)).toEqual(['/acme/widgets Local'])
    expect(found.body.searchFilterApplied).toBe(true)
    expect(await context('/other/widgets')).toMatchObject({ status: 403, body: { error: 'access_denied' } })
    expect((await context('/acme/widgets')).status).toBe(200)
    expect((await context('/other/cogs')).status).toBe(200)
    const { entries } = here.app.audit.list(1, 3)
    expect(entries.map(({ actor, action, subject }) => `${actor}: ${action} ${subject}`)).toEqual([
      'key admin: policy.change libraryFilters.quality.blockedLibraries.add',
      'key admin: policy.change libraryFilters.quality.minTrustScore',
      'key admin: policy.change libraryFilters.mode',
    ])
  })

  test('is mentioned in the 404 if it hides every match', async () => {
    await change({ libraryFilters: { mode: 'quality', quality: { blockedLibraries: { add: ['/other/cogs'] } } } })
    expect(await search('cogs')).toMatchObject({
      status: 404,
      body: { error: 'no_libraries_found', searchFilterApplied: true, message: expect.stringContaining('policy') },
    })
  })

  test('is applied locally while the hosted service is down, and pushed before the next request', async () => {
    door.shut(() => 'cut')
    const changed = await change({ libraryFilters: { mode: 'quality', quality: { blockedLibraries: { add: ['/other/cogs'] } } } })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('x-carrel-hosted')).toBe('unavailable')
    expect(await context('/other/cogs')).toMatchObject({ status: 403, body: { error: 'access_denied' } })
    expect(policyOf(await there())).not.toEqual(policyOf(changed.body))
    door.open()
    expect((await search('cogs')).status).toBe(404)
    expect(policyOf(await there())).toEqual(policyOf(changed.body))
  })
  test('is pushed after the next start, before any request, if it could not be pushed earlier', async () => {
    const first = await testInstall(licensed('first'))
    const policyThere = async () => (await hosted.hosted.licenses.policy('first')).libraryFilters.quality.blockedLibraries
    try {
      door.shut(() => 'cut')
      await first.call('PATCH', '/api/v2/policies', { libraryFilters: { quality: { blockedLibraries: { add: ['/x'] } } } })
      await first.stop()
      expect(await policyThere()).toEqual([])
      door.open()
      const again = await testInstall({ reopen: first })
      await until(async () => (await policyThere()).includes('/x'))
      await again.stop()
    } finally {
      await first.close()
    }
  })

  test('is adopted from the hosted service by an install that has none', async () => {
    const fresh = await testInstall({
      ...licensed('fresh'),
      async beforeStart(publicPem, licenseKey) {
        await hosted.hosted.licenses.trust(publicPem)
        const headers = { authorization: `Bearer ${licenseKey}`, 'content-type': 'application/json' }
        const body = JSON.stringify({ libraryFilters: { mode: 'quality', quality: { blockedLibraries: { add: ['/other'] } } } })
        expect((await fetch(`${hosted.url}/api/v2/policies`, { method: 'PATCH', headers, body })).status).toBe(200)
      },
    })
    try {
      const kept = await get('/api/v2/policies', fresh.keys.admin, fresh)
      expect(kept.body).toMatchObject({
        libraryFilters: { quality: { blockedLibraries: ['/other'] } },
        accessibleLibraryCount: 1,
      })
      await fresh.call('PATCH', '/api/v2/policies', { libraryFilters: { quality: { minTrustScore: 2 } } })
      expect((await hosted.hosted.licenses.policy('fresh')).libraryFilters.quality).toMatchObject({
        blockedLibraries: ['/other'],
        minTrustScore: 2,
      })
    } finally {
      await fresh.close()
    }
  })

  test('is applied again to the results', async () => {
    await change({ libraryFilters: { mode: 'quality', quality: { blockedLibraries: { add: ['/other/widgets'] } } } })
    const facts = { title: 'Widgets', source: 'Local' }
    const results = ['/other/widgets', '/other/gears'].map((id) => ({ id, ...facts }))
    door.shut(() => ({ status: 200, type: 'application/json', body: JSON.stringify({ results, searchFilterApplied: false }) }))
    const found = await search('widgets')
    expect(ids(found)).toEqual(['/acme/widgets Local', '/other/gears Hosted: Local'])
    expect(found.body.searchFilterApplied).toBe(true)
  })

  test('prevents every request if all source types are disabled', async () => {
    await change({
      sourceTypes: { disable: ['public_repos', 'private_sources', 'confluence', 'uploaded_files', 'websites', 'llmstxt'] },
    })
    const counted = countRequests()
    expect(ids(await search('widgets'))).toEqual(['/acme/widgets Local'])
    expect(await search('cogs')).toMatchObject({ status: 404 })
    expect(await context('/other/cogs')).toMatchObject({ status: 404, body: { error: 'library_not_found' } })
    expect((await get('/api/v2/policies', here.keys.admin)).body).toMatchObject({ accessibleLibraryCount: 0 })
    await callMcp('/other/cogs')
    expect(counted.requests).toBe(0)
  })

  test('is restored by the next read if it was changed at the hosted service', async () => {
    const change = { libraryFilters: { mode: 'select' } }
    await fetch(`${hosted.url}/api/v2/policies`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${here.licenseKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(change),
    })
    expect((await get('/api/v2/policies', here.keys.admin)).body).toMatchObject({ libraryFilters: { mode: null } })
    expect(policyOf(await there())).toMatchObject({ libraryFilters: { mode: null } })
  })

  test.each([
    ['an empty change', {}],
    ['a misspelt field', { sourceType: {} }],
  ])('is unchanged by an invalid change: %s', async (_, body) => {
    const before = (await get('/api/v2/policies', here.keys.admin)).body
    expect(await change(body)).toMatchObject({ status: 400, body: { error: 'validation_error' } })
    expect((await get('/api/v2/policies', here.keys.admin)).body).toEqual(before)
  })
})

test('the license key appears in no log of either half', () => {
  const all = here.log.text() + hosted.log.text()
  expect(all).toContain('request')
  expect(all).not.toContain(here.licenseKey)
  expect(all).not.toContain(here.licenseKey.split('.')[2])
})
