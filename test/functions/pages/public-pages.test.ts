import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createServer } from '../../../functions/server.ts'
import { AppError } from '../../../shared/errors.ts'
import { rawRequest } from '../../fixtures/raw-request.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted

beforeAll(async () => {
  hosted = await testHosted()
  const { git } = hosted
  await git.create('acme/widgets', {
    files: { 'README.md': '# Widgets\n\nTurn the lever of widgets.\n', 'docs/more guides/ä?.md': '# Gears\n\nOil the gears.\n' },
  })
  await git.create('acme/secret', { files: { 'README.md': '# Secret\n\nNobody may know.\n' } })
  await hosted.add('acme/widgets')
  await hosted.keyOf('acme')
  await hosted.add('acme/secret', { private: true, teamspace: 'acme' })
})
afterAll(() => hosted.close())

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const open = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(hosted.url + path, { headers: { ...browser, ...headers } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const views = async (library: string) => {
  const today = new Date().toISOString().slice(0, 10)
  const { total } = await hosted.hosted.counters.read(library, today, today)
  return total
}

test('the start page says what the service is, lists libraries and searches them without a script', async () => {
  const { text } = await open('/')
  expect(text).toContain('<form class="search" action="/"')
  expect(text).toContain('href="/acme/widgets"')
  expect((await open('/?q=widgets')).text).toContain('href="/acme/widgets"')
  expect((await open('/?q=no+such+thing')).text).toContain('No library matches')
})

test('the start page of a service without libraries does not count them', async () => {
  const empty = await testHosted()
  const text = await (await fetch(empty.url, { headers: browser })).text()
  await empty.close()
  expect(text).toContain('No library has been added yet.')
  expect(text).not.toContain('0 libraries')
})

test('the page of a library shows what is indexed, its badge, its text and how to connect', async () => {
  const { status, text } = await open('/acme/widgets')
  expect(status).toBe(200)
  for (const part of [
    'README.md',
    '/badge/acme/widgets.svg',
    '/acme/widgets/llms.txt',
    `${hosted.url}/mcp`,
    'codex mcp'.slice(0, 5),
  ])
    expect(text).toContain(part)
})

test('the pages show the simplest way of each client, and fold its others', async () => {
  const { text } = await open('/')
  const [, gemini = ''] =
    /<summary>[^\n]*Gemini CLI<\/span><\/summary>(.*?)<summary>[^\n]*Copilot CLI<\/span><\/summary>/s.exec(text) ?? []
  const [first = '', others = ''] = gemini.split('<details class="others">')
  expect(first).toContain(`node carrel.mjs setup --base-url ${hosted.url} --gemini`)
  expect(first).not.toContain('settings.json')
  expect(others).toContain(`gemini mcp add --scope user --transport http carrel ${hosted.url}/mcp`)
  expect(others).toContain('settings.json')
})

test('the page of a library is found under every spelling of its id', async () => {
  for (const path of ['/ACME/Widgets', '/acme/widgets/', '/acme/widgets@main', '/acme//widgets'])
    expect([path, [200, 404].includes((await open(path)).status)]).toEqual([path, true])
  expect((await open('/ACME/Widgets')).text).toContain(`<link rel="canonical" href="${hosted.url}/acme/widgets">`)
})

test('the snippets of a page are shown, whatever its path is', async () => {
  const path = /href="(\/acme\/widgets\?page=docs[^"#]*)/.exec((await open('/acme/widgets')).text)?.[1] ?? 'no link'
  expect((await open(path)).text).toContain('Oil the gears.')
})

test('a question is answered on the page, counts as one view, and no cache keeps it', async () => {
  const before = await views('/acme/widgets')
  const { text, headers } = await open('/acme/widgets?q=how+do+I+turn+the+lever')
  expect(text).toContain('Turn the lever of widgets.')
  expect(text).not.toContain('data-library')
  expect(headers.get('cache-control')).toBe('private, no-store')
  await vi.waitFor(async () => expect(await views('/acme/widgets')).toEqual({ ...before, page: before.page + 1 }), 5_000)
})

test('llms.txt lists the pages with links to their text, answers a question, and counts as text', async () => {
  const before = await views('/acme/widgets')
  const { text, headers } = await open('/acme/widgets/llms.txt')
  expect(headers.get('content-type')).toMatch(/^text\/plain/)
  expect(text).toMatch(/^# Widgets\n\n> /)
  const links = [...text.matchAll(/\]\((http[^)]+)\)/g)].map(([, link = '']) => link)
  expect(links).toHaveLength(2)
  for (const link of links) expect(await (await fetch(link)).text()).toMatch(/lever|gears/)
  expect((await open('/acme/widgets/llms.txt?query=lever')).text).toContain('### Widgets')
  expect((await open('/acme/widgets/llms.txt?query=lever&tokens=nonsense')).status).toBe(400)
  await vi.waitFor(async () => expect((await views('/acme/widgets')).txt).toBe(before.txt + 4), 5_000)
})

test.each([
  '/',
  '/terms',
  '/privacy',
  '/takedown',
  '/acme/widgets',
  '/robots.txt',
  '/sitemap.xml',
  '/badge/acme/widgets.svg',
  '/?q=widgets',
])('%s is the same for everybody, may be shared for a minute and sets no cookie', async (path) => {
  const { key } = await hosted.keyOf('acme')
  const answers = await Promise.all([
    open(path),
    open(path, { authorization: `Bearer ${key}` }),
    open(path, { authorization: 'Bearer nonsense', cookie: 'a=b' }),
  ])
  for (const { status, text, headers } of answers) {
    expect([status, text]).toEqual([200, answers[0]?.text])
    expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=60')
    expect(headers.has('set-cookie')).toBe(false)
  }
})

test('a private library is as unknown to the pages as one that does not exist, also for its owner', async () => {
  const { key } = await hosted.keyOf('acme')
  for (const path of [
    '/acme/NAME',
    '/acme/NAME?q=a',
    '/acme/NAME/llms.txt',
    '/acme/NAME@main',
    '/badge/acme/NAME.svg',
    '/?q=NAME',
  ]) {
    const [secret, missing] = await Promise.all(
      ['secret', 'absent'].map(async (name) => {
        const { status, text } = await open(path.replace('NAME', name), { authorization: `Bearer ${key}` })
        return [status, text.replaceAll(name, 'NAME')]
      }),
    )
    expect(secret).toEqual(missing)
  }
  for (const path of ['/', '/sitemap.xml']) expect((await open(path)).text.toLowerCase()).not.toContain('secret')
})

test.each([
  '/nobody/nothing',
  '/nothing',
  '/a/b/c/d',
  '/acme/widgets@v9',
  '/acme/widgets/v9',
  '/acme/..%2Fsecret',
  '/acme%2Fwidgets/x',
  '/acme/%00',
  '/acme/%E0%A4%A',
  '/%F0%9F%98%80/%E2%80%AE',
  '/acme/widgets?page=none',
  '/acme/widgets?folder=none',
  `/acme/${'x'.repeat(600)}`,
  '/badge/acme/widgets',
  '/assets/none.css',
  '/assets/..%2fpages.css',
  '/sitemap.xml?file=9',
])('%s is a page that says what is missing, and no cache keeps it', async (path) => {
  const { status, text, headers } = await open(path)
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    404,
    expect.stringMatching(/^text\/html/i),
    'private, no-store',
  ])
  expect(text).toContain('Not found')
})

test('a program that wants no page gets the error of the API', async () => {
  const response = await fetch(`${hosted.url}/nobody/nothing`)
  expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ error: 'library_not_found' })])
  for (const path of ['/api/nothing', '/mcp/nothing', '/.well-known/oauth-authorization-server'])
    expect((await open(path)).headers.get('content-type')).toBe('application/json')
})

test.each([
  ['a search', '/?q=', 'Search for at most 500 characters'],
  ['a question', '/acme/widgets?q=', 'Ask with at most 500 characters'],
])('%s of 10,000 characters is rejected with a sentence', async (_what, path, sentence) => {
  expect((await open(path + 'x'.repeat(10_000))).text).toContain(sentence)
})

test.each(['/?q=', '/?q=%20', '/acme/widgets?q=', '/acme/widgets?q=%20%09', '/acme/widgets?from=x', '/acme/widgets?folder='])(
  '%s is the page without words',
  async (path) => {
    const plain = await open(path.replace(/\?.*/, ''))
    expect([(await open(path)).status, (await open(path)).text.length]).toEqual([200, expect.closeTo(plain.text.length, -3)])
  },
)

test('a question above the limit of callers gets a page that says when to ask again; other pages have no limit', async () => {
  const request = () => Promise.reject(new AppError('rate_limit_exceeded', 'Try again in 9 seconds.', { retryAfterMs: 9_000 }))
  const server = createServer({ ...hosted.hosted, rateLimits: { ...hosted.hosted.rateLimits, request } })
  const headers = { ...browser, host: '127.0.0.1' }
  for (const path of ['/?q=widgets', '/acme/widgets?q=lever', '/acme/widgets/llms.txt']) {
    const response = await server.request(path, { headers })
    expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 429, '9'])
    expect(await response.text()).toContain('Try again in 9 seconds.')
  }
  for (const path of ['/', '/acme/widgets', '/badge/acme/widgets.svg'])
    expect((await server.request(path, { headers })).status).toBe(200)
})

test('a page whose list of libraries cannot be read says so, and no cache keeps that', async () => {
  const listed = () => Promise.reject(new AppError('search_failed', 'The list of libraries cannot be read.'))
  const server = createServer({ ...hosted.hosted, names: { listed } })
  const response = await server.request('/', { headers: { ...browser, host: '127.0.0.1' } })
  expect([response.status, response.headers.get('cache-control')]).toEqual([503, 'private, no-store'])
  expect(await response.text()).toContain('The list of libraries cannot be read.')
})

test('words of a caller are text', async () => {
  const words = '"><script>alert(1)</script>'
  for (const path of ['/?q=', '/acme/widgets?q=', '/acme/widgets?page=', '/nobody/'])
    expect((await open(path + encodeURIComponent(words))).text).not.toContain('<script>alert')
})

test('a page allows scripts, styles and pictures of this host only, and no other page may frame it', async () => {
  for (const path of ['/', '/acme/widgets', '/nobody/nothing', '/badge/acme/widgets.svg']) {
    const { headers, text } = await open(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'/)
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    if (path.endsWith('.svg')) continue
    expect(text).not.toMatch(/<style|<script(?! src="\/assets\/)|\son\w+=|\sstyle=/)
  }
})

test('HEAD has the headers of a page without its text, and a known ETag gets 304', async () => {
  for (const path of ['/', '/acme/widgets', '/badge/acme/widgets.svg', '/sitemap.xml']) {
    const { headers } = await open(path)
    const head = await fetch(hosted.url + path, { method: 'HEAD', headers: browser })
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, headers.get('etag'), ''])
    const known = await fetch(hosted.url + path, { headers: { ...browser, 'if-none-match': headers.get('etag') ?? '' } })
    expect([known.status, known.headers.get('cache-control')]).toEqual([304, 'public, max-age=0, s-maxage=60'])
  }
})

test('the files of the pages have addresses that change with them, and may be kept for ever', async () => {
  const { text } = await open('/')
  const addresses = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, address = '']) => address)
  expect(new Set(addresses).size).toBe(3)
  const style = await open(addresses.find((address) => address.includes('.css')) ?? '')
  for (const address of [...addresses, '/assets/inter-basic.woff2'])
    expect((await open(address)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  for (const [, font] of style.text.matchAll(/url\("\.\/([^"]+)"\)/g)) expect((await open(`/assets/${font}`)).status).toBe(200)
})

test('a page has what previews of links show', async () => {
  const { text } = await open('/acme/widgets')
  expect(text).toContain('<meta property="og:title" content="Widgets documentation – Carrel">')
  expect(text).toContain(`<meta property="og:url" content="${hosted.url}/acme/widgets">`)
})

test('a view counts as page, as a beacon sends it', async () => {
  const before = await views('/acme/widgets')
  const body = JSON.stringify({ libraryId: '/ACME/widgets' })
  const send = (headers: Record<string, string>) => fetch(`${hosted.url}/api/v2/libs/view`, { method: 'POST', headers, body })
  const plain = { 'content-type': 'text/plain;charset=UTF-8' }
  const answers = await Promise.all([
    send(plain),
    send({ 'content-type': 'application/json' }),
    send({ ...plain, 'user-agent': 'Googlebot' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  for (const { headers } of answers)
    expect([headers.get('cache-control'), headers.has('set-cookie')]).toEqual(['private, no-store', false])
  await vi.waitFor(async () => expect(await views('/acme/widgets')).toEqual({ ...before, page: before.page + 2 }), 5_000)
})

test.each([
  ['a library that does not exist', '{"libraryId":"/nobody/nothing"}', 404],
  ['a private library', '{"libraryId":"/acme/secret"}', 404],
  ['no JSON', 'nonsense', 400],
  ['a field too many', '{"libraryId":"/acme/widgets","count":1000}', 400],
  ['a long body', `{"libraryId":"/acme/widgets"${' '.repeat(10_000)}}`, 413],
])('a view of %s is rejected', async (_what, body, status) => {
  const answer = await fetch(`${hosted.url}/api/v2/libs/view`, { method: 'POST', body })
  expect(answer.status).toBe(status)
})

test.each(['api', 'MCP', 'badge', 'assets', 'auth'])(
  'a library of the owner %s is not added, because the service has pages there',
  async (owner) => {
    await hosted.git.create(`${owner}/widgets`, { files: { 'README.md': '# W\n\nText.\n' } })
    await expect(hosted.add(`${owner}/widgets`)).rejects.toThrow(`the service has pages at /${owner}`)
  },
)

test('a page below a reserved name is never a library', async () => {
  for (const path of ['/auth/widgets', '/badge/widgets', '/auth/widgets/llms.txt'])
    expect((await open(path)).text).toContain('There is no GET')
})

test('pages behind the Router demand HTTPS, and name the host that viewers see', async () => {
  const secret = 'origin-secret-of-at-least-32-letters'
  const server = createServer({ ...hosted.hosted, loopback: false, originSecrets: [secret] })
  const headers = { 'x-origin-secret': secret, 'x-forwarded-host': 'docs.example.com', host: 'gateway.example.com' }
  const response = await server.request('/robots.txt', { headers })
  expect(await response.text()).toContain('Sitemap: https://docs.example.com/sitemap.xml')
  expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
})

test('pages on one machine do not demand HTTPS, and name the host of the request', async () => {
  const response = await rawRequest(`${hosted.url}/robots.txt`, { method: 'GET', headers: { host: 'localhost:4000' } })
  expect(await response.text()).toContain('Sitemap: http://localhost:4000/sitemap.xml')
  expect(response.headers.has('strict-transport-security')).toBe(false)
})
