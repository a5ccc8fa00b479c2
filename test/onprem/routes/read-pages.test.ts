import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
  const guide = (name: string) => `# ${name}\n\nHow a ${name} works.\n\n## Oil the ${name}\n\nOil a ${name} every year.\n`
  await app.git.create('acme/clock', { files: { 'docs/lever.md': guide('lever'), 'docs/wheel.md': guide('wheel') } })
  await app.git.create('acme/boat', { files: { 'README.md': guide('sail') } })
  await app.git.create('acme/secret', { files: { 'README.md': guide('vault') }, private: '*:sesame' })
  app.app.settings.change({ 'github.token': 'sesame' })
  for (const repo of ['acme/clock', 'acme/boat', 'acme/secret']) await app.parse(repo)
  app.app.settings.change({ 'permissions.hidePrivate': true })
})
afterAll(() => app.close())

const read = async (path: string, key?: string) => {
  const response = await app.ask(`/api/v2${path}`, key === undefined ? {} : { key })
  return { status: response.status, text: await response.text() }
}

test('the pages of a library are listed and read by REST, as JSON and as text', async () => {
  const { status, text } = await read('/libs/acme/clock/pages')
  expect([status, JSON.parse(text).pages.map(({ path }: { path: string }) => path)]).toEqual([
    200,
    ['docs/lever.md', 'docs/wheel.md'],
  ])
  expect((await read('/libs/acme/clock/pages?type=txt&folder=docs')).text).toMatch(
    /^Pages in docs\/ of clock \(\/acme\/clock, main, commit of/,
  )
  const section = '/libs/acme/clock/pages/docs/wheel.md?section=Oil+the+wheel'
  expect(JSON.parse((await read(section)).text)).toMatchObject({
    path: 'docs/wheel.md',
    content: '## Oil the wheel\n\nOil a wheel every year.',
  })
  expect((await read(`${section}&type=txt`)).text).toMatch(
    /^# wheel\n\nSource: \S+\n\nVersion: clock main, commit of [\d-]+\n\n## Oil/,
  )
})

test('a page of a private library is one of an unknown library for a caller without a key', async () => {
  for (const path of ['pages', 'pages/README.md']) {
    const hidden = await read(`/libs/acme/secret/${path}`)
    const unknown = await read(`/libs/acme/nothing/${path}`)
    expect(hidden).toEqual({ ...unknown, text: unknown.text.replace('nothing', 'secret') })
    expect((await read(`/libs/acme/secret/${path}`, app.keys.member)).status).toBe(200)
  }
})

test('several libraries share a budget, and one that the caller may not see is unknown', async () => {
  const query = new URLSearchParams({ libraryIds: '/acme/clock,/acme/boat,/acme/secret', query: 'oil', tokens: '600' })
  const { text } = await read(`/context?${query}`)
  expect(text.length / 4).toBeLessThan(700)
  expect(text).toMatch(
    /clock\/blob[\s\S]*boat\/blob[\s\S]*\nNote: \/acme\/secret gave no answer\. \/acme\/secret is not in this install\./,
  )
  expect(text).not.toContain('vault')
  const json = JSON.parse((await read(`/context?${query}&type=json`)).text)
  expect(json.unanswered).toEqual([{ libraryId: '/acme/secret', error: 'library_not_found', message: expect.any(String) }])
  const ranked = [...json.codeSnippets, ...json.infoSnippets].sort((a, b) => a.rank - b.rank)
  expect(ranked.map(({ rank }) => rank)).toEqual(ranked.map((_, i) => i + 1))
  expect(new Set(ranked.map(({ libraryId }) => libraryId))).toEqual(new Set(['/acme/clock', '/acme/boat']))
  expect((await read(`/context?${query}&type=json`, app.keys.member)).text).toContain('vault')
})

test('a question without a library is answered by the libraries that fit, and never by hidden ones', async () => {
  const ask = async (query: string, key?: string) => (await read(`/search?${new URLSearchParams({ query })}`, key)).text
  expect(await ask('how does a sail work')).toMatch(/^### sail\n\nSource: \S+acme\/boat/)
  expect(await ask('oil the vault')).not.toContain('acme/secret')
  expect(await ask('oil the vault', app.keys.member)).toContain('acme/secret')
})

test('a language that the documentation does not have is ignored, and the answer says so', async () => {
  const query = new URLSearchParams({ libraryId: '/acme/boat', query: 'sail', docsLanguage: 'typescript' })
  expect((await read(`/context?${query}`)).text).toMatch(
    /^Note: docsLanguage "typescript" is ignored: [^\n]*\n\n-{32}\n\n### sail/,
  )
  expect(JSON.parse((await read(`/context?${query}&type=json`)).text).notes).toHaveLength(1)
})

test('one of the ids is required, and at most five are asked', async () => {
  expect(await read('/context?query=oil')).toMatchObject({ status: 400, text: expect.stringContaining('libraryId is required.') })
  const six = Array.from({ length: 6 }, (_, n) => `/acme/l${n}`).join(',')
  expect((await read(`/context?libraryIds=${six}&query=oil`)).status).toBe(400)
})

test('a page that was read counts as a use of its library', async () => {
  const requests = async () => {
    const { body } = await app.json('/api/v2/libs/metrics?libraryId=/acme/boat', { key: app.keys.member })
    return JSON.stringify(body)
  }
  const before = await requests()
  await read('/libs/acme/boat/pages/README.md')
  await until(async () => (await requests()) !== before)
})

test('a question by MCP of more than 20,000 characters is cut, and one that is not covered gets no passages on request', async () => {
  const ask = async (args: object) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'query-docs', arguments: args } }
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    return (await app.ask('/mcp', { method: 'POST', headers, body: JSON.stringify(body) })).text()
  }
  const long = `how does a sail work ${'word '.repeat(4_100)}`
  expect(await ask({ libraryId: '/acme/boat', query: long })).toContain(
    'Only the first 20,000 characters of the question were read.',
  )
  const uncovered = { libraryId: '/acme/boat', query: 'oil prices on the stock market of Tokyo in the nineties' }
  expect(await ask(uncovered)).toContain('### ')
  expect(await ask({ ...uncovered, uncovered: 'hide' })).not.toContain('### ')
})
