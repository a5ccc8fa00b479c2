import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
const browser = { accept: 'text/html,*/*;q=0.8' }
const form = { library: '/acme/widgets', reason: 'It is my text.\r\nSee my page.', contact: 'ann@example.com' }

beforeAll(async () => {
  hosted = await testHosted()
  await hosted.git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever.\n' } })
  await hosted.add('acme/widgets')
})
afterAll(() => hosted.close())

const open = async (path: string) => (await fetch(hosted.url + path, { headers: browser })).text()

type SentBody = string | URLSearchParams | Uint8Array<ArrayBuffer>

let lastAddress = 0
function nextAddress(): string {
  lastAddress += 1
  return `198.51.100.${lastAddress}`
}

async function send(body: SentBody, { address = nextAddress(), ...headers }: Record<string, string> = {}) {
  const init = { method: 'POST', headers: { ...browser, 'x-viewer-address': address, ...headers }, body }
  const response = await fetch(`${hosted.url}/takedown`, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const fields = (values: Record<string, string>) => new URLSearchParams(values)

test('the page of a library links to the form, which has the library in it', async () => {
  const link = /href="(\/takedown\?library=[^"]+)"/.exec(await open('/acme/widgets'))?.[1] ?? '/no-link'
  const text = await open(link)
  expect(text).toContain('<form class="fields" action="/takedown" method="post">')
  expect(text).toContain('name="library" value="/acme/widgets"')
  expect(text).toContain('<meta name="robots" content="noindex">')
})

test('a form that is sent waits for the operator, and no cache keeps the page that says so', async () => {
  const { status, headers, text } = await send(fields(form))
  const [stored] = (await hosted.run('listTakedowns', {})) as { id: string }[]
  expect(stored).toMatchObject({ ...form, reason: 'It is my text.\nSee my page.', state: 'open' })
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    202,
    expect.stringMatching(/^text\/html/i),
    'private, no-store',
  ])
  expect(text).toContain(stored?.id ?? 'no id')
  expect(headers.get('content-security-policy')).toContain("form-action 'self'")
})

test.each([
  ['no library', { ...form, library: '' }],
  ['a library that is none', { ...form, library: 'widgets' }],
  ['an empty reason', { ...form, reason: ' \u200B' }],
  ['a reason of 5,000 characters', { ...form, reason: 'x'.repeat(5_000) }],
  ['no address', { ...form, contact: 'ann' }],
  ['an unknown field', { ...form, urgent: 'true' }],
  ['a field of objects', { ...form, ['__proto__']: 'x', constructor: 'x' }],
])('a form with %s comes back with what is wrong and what was written, and is not stored', async (_what, values) => {
  const before = await hosted.hosted.takedowns.list()
  const { status, text } = await send(fields(values))
  expect([status, /<p role="alert"[^>]*>[^<]+<\/p>/.test(text)]).toEqual([400, true])
  for (const name of ['library', 'contact'] as const) expect(text).toContain(`name="${name}"`)
  expect(text).toContain(`value="${values.library}"`)
  expect(text).toContain(`\n${values.reason}</textarea>`)
  expect(await hosted.hosted.takedowns.list()).toEqual(before)
})

test('values of the form are shown as text', async () => {
  const attack = '"></textarea><script>alert(1)</script>'
  const { text } = await send(fields({ library: attack, reason: attack, contact: attack }))
  expect(text).toContain('&lt;script&gt;')
  expect(text).not.toContain('<script>alert')
  expect(await open(`/takedown?library=${encodeURIComponent(attack)}`)).not.toContain('<script>alert')
})

test.each([
  ['JSON', JSON.stringify(form), { 'content-type': 'application/json' }, 400],
  ['parts', 'x', { 'content-type': 'multipart/form-data; boundary=x' }, 400],
  ['nothing', '', {}, 400],
  ['a compressed form', fields(form), { 'content-encoding': 'gzip' }, 400],
  ['a form of 100 kB', fields({ ...form, reason: 'x'.repeat(100_000) }), {}, 413],
  ['bytes that are no UTF-8', new Uint8Array([0x61, 0x3d, 0xff]), { 'content-type': 'application/x-www-form-urlencoded' }, 400],
] as [string, SentBody, Record<string, string>, number][])(
  '%s instead of a form is answered with a page',
  async (_what, body, headers, status) => {
    const answer = await send(body, headers)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, expect.stringMatching(/^text\/html/i)])
  },
)

test('forms and requests to the API share the five requests a day of an address', async () => {
  const address = '192.0.2.77'
  const statuses: number[] = []
  for (let i = 0; i < 3; i++) statuses.push((await send(fields(form), { address })).status)
  const { reason, ...others } = form
  const request = () => hosted.post('/api/v2/takedowns', { ...others, reason: 'Mine.' }, { 'x-viewer-address': address })
  for (let i = 0; i < 2; i++) statuses.push((await request()).status)
  expect(statuses).toEqual([202, 202, 202, 202, 202])
  const { status, text } = await send(fields(form), { address })
  expect([status, (await request()).status]).toEqual([429, 429])
  expect(text).toContain('An address may send 5 takedown requests a day.')
})
