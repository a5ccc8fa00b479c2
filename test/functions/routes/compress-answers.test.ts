import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted

beforeAll(async () => {
  hosted = await testHosted()
  const text = Array.from({ length: 60 }, (_, n) => `Turn lever ${n} of the widgets before you pull the rope of the ${n}th bell.`)
  await hosted.git.create('acme/widgets', { files: { 'README.md': `# Widgets\n\n${text.join('\n\n')}\n` } })
  await hosted.add('acme/widgets')
})
afterAll(() => hosted.close())

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }
type Asked = { method?: string; headers?: Record<string, string>; body?: string }

/** `fetch` would set Accept-Encoding itself, and decompress. */
const ask = (path: string, encodings?: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = { ...headers, ...(encodings && { 'accept-encoding': encodings }) }
    request(hosted.url + path, { method, headers: sent }, async (answer) =>
      resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(await answer.toArray()) }),
    )
      .on('error', reject)
      .end(body)
  })
const question = '/api/v2/context?libraryId=/acme/widgets&query=lever'
const decoders = { br: brotliDecompressSync, gzip: gunzipSync }

test.each([
  ['an answer in text', question],
  ['an answer in JSON', `${question}&type=json`],
  ['the description of the API', '/api/openapi.json'],
  ['a page', '/acme/widgets'],
  ['a badge', '/badge/acme/widgets.svg'],
  ['a style sheet', '/assets/pages.css'],
])('%s is compressed as the caller accepts it, and plain without Accept-Encoding', async (_what, path) => {
  const plain = await ask(path)
  const named = ({ headers }: Answer) => [headers['content-encoding'], headers.vary]
  expect([plain.status, plain.body.length > 1024, ...named(plain)]).toEqual([200, true, undefined, 'accept-encoding'])
  for (const encoding of ['br', 'gzip'] as const) {
    const answer = await ask(path, encoding)
    expect([answer.status, ...named(answer), answer.body.length < plain.body.length]).toEqual([
      200,
      encoding,
      'accept-encoding',
      true,
    ])
    expect(decoders[encoding](answer.body).toString()).toBe(plain.body.toString())
  }
})

test.each([
  ['gzip, deflate, br', 'br'],
  ['GZIP', 'gzip'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['deflate', undefined],
  ['identity', undefined],
  ['gzip;q=0', undefined],
  [',;q="=;,', undefined],
])('the encoding for Accept-Encoding "%s" is %s', async (accepted, encoding) => {
  expect((await ask(question, accepted)).headers['content-encoding']).toBe(encoding)
})

test.each([
  ['a small answer', '/api/health', {}, 200],
  ['a font', '/assets/inter-basic.woff2', {}, 200],
  ['a preflight', '/api/v2/libs/search', { method: 'OPTIONS', headers: { origin: 'https://a.example' } }, 204],
] as [string, string, Asked, number][])('%s is not compressed', async (_what, path, init, status) => {
  const answer = await ask(path, 'br, gzip', init)
  expect([answer.status, answer.headers['content-encoding']]).toEqual([status, undefined])
})

test('an export is a stream of plain JSON', async () => {
  const claims = { id: 'l', customer: 'Example', kind: 'offline' as const, expiresAt: '2099-01-01T00:00:00.000Z' }
  const license = await signLicense(claims, developmentPair(hosted.dataDir, 'license').privatePem)
  const answer = await ask('/api/v1/enterprise/export', 'br, gzip', {
    method: 'POST',
    headers: { authorization: `Bearer ${license}`, 'content-type': 'application/json' },
    body: JSON.stringify({ library: 'acme/widgets' }),
  })
  expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined])
  expect(JSON.parse(answer.body.toString())).toMatchObject({ force: false })
})

test('HEAD has the headers of the compressed page, and its ETag gets 304', async () => {
  const page = await ask('/acme/widgets', 'br')
  const named = ({ headers }: Answer) => [headers['content-encoding'], headers.etag, headers.vary]
  expect(named(page)).toEqual(['br', expect.stringMatching(/^W\/"/), 'accept-encoding'])
  const head = await ask('/acme/widgets', 'br', { method: 'HEAD' })
  expect([head.status, ...named(head), head.body.length]).toEqual([200, ...named(page), 0])
  const known = await ask('/acme/widgets', 'br', { headers: { 'if-none-match': page.headers.etag ?? '' } })
  expect([known.status, ...named(known), known.body.length]).toEqual([304, undefined, page.headers.etag, 'accept-encoding', 0])
})
