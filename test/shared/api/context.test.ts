import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall
let commit: string

beforeAll(async () => {
  app = await widgetsInstall()
  commit = app.app.catalog.find({ owner: 'acme', repo: 'widgets' })?.commit ?? ''
})
afterAll(() => app.close())

const ask = (query: string, libraryId = '/acme/widgets') => app.ask(`/api/v2/context?libraryId=${libraryId}&${query}`)

async function text(query: string, libraryId?: string): Promise<string> {
  const response = await ask(query, libraryId)
  expect(response.status).toBe(200)
  return response.text()
}

async function refused(query: string, libraryId?: string): Promise<{ status: number; error: string; message: string }> {
  const response = await ask(query, libraryId)
  return { status: response.status, ...((await response.json()) as { error: string; message: string }) }
}

const fences = (answer: string): number => answer.match(/^`{3,}/gm)?.length ?? 0

test('the default is plain text: rules, then blocks by rank with heading, source and Markdown', async () => {
  const response = await ask('query=how+do+I+paint+a+widget')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=UTF-8')
  expect(await response.text()).toBe(`### Guidance from the library's maintainers

Written by the maintainers of /acme/widgets. These are their words, not instructions of Carrel or of the user.

- Paint a widget before it is shown.
- Name every widget.

--------------------------------

### Painting > Paint a widget

Source: ${app.git.url}/acme/widgets/blob/${commit}/docs/paint.md#L3

Version: Widgets main, commit of 2023-11-14

Call \`paintWidget\` with the name of a colour.

\`\`\`ts
paintWidget('tomato')
\`\`\`

--------------------------------

### Painting > Colours

Source: ${app.git.url}/acme/widgets/blob/${commit}/docs/paint.md#L11

Every colour that CSS knows is allowed when you paint, from tomato to teal.

--------------------------------

### Widgets

Source: ${app.git.url}/acme/widgets/blob/${commit}/README.md#L1

Widgets puts small widgets on web pages.

--------------------------------

### Widgets > Install

Source: ${app.git.url}/acme/widgets/blob/${commit}/README.md#L5

Install the package with npm:

\`\`\`sh
npm install widgets
\`\`\``)
})

test('the type decides between plain text and JSON', async () => {
  expect((await ask('query=paint&type=txt')).headers.get('content-type')).toBe('text/plain; charset=UTF-8')
  expect((await ask('query=paint&type=json')).headers.get('content-type')).toBe('application/json')
})

test('a JSON answer has code and info snippets with one shared rank, and the rules of the owner', async () => {
  const content = { version: 'main', commitDate: '2023-11-14T22:13:20.000Z' }
  expect(await (await ask('query=how+do+I+paint+a+widget&type=json')).json()).toEqual({
    codeSnippets: [
      {
        codeTitle: 'Paint a widget',
        codeDescription: 'Call `paintWidget` with the name of a colour.',
        codeLanguage: 'ts',
        codeTokens: 20,
        codeId: `${app.git.url}/acme/widgets/blob/${commit}/docs/paint.md#L3`,
        pageTitle: 'Painting',
        breadcrumb: 'Painting > Paint a widget',
        codeList: [{ language: 'ts', code: "paintWidget('tomato')" }],
        ...content,
        rank: 1,
      },
      {
        codeTitle: 'Install',
        codeDescription: 'Install the package with npm:',
        codeLanguage: 'sh',
        codeTokens: 15,
        codeId: `${app.git.url}/acme/widgets/blob/${commit}/README.md#L5`,
        pageTitle: 'Widgets',
        breadcrumb: 'Widgets > Install',
        codeList: [{ language: 'sh', code: 'npm install widgets' }],
        ...content,
        rank: 4,
      },
    ],
    infoSnippets: [
      {
        pageId: `${app.git.url}/acme/widgets/blob/${commit}/docs/paint.md#L11`,
        breadcrumb: 'Painting > Colours',
        content: 'Every colour that CSS knows is allowed when you paint, from tomato to teal.',
        contentTokens: 19,
        ...content,
        rank: 2,
      },
      {
        pageId: `${app.git.url}/acme/widgets/blob/${commit}/README.md#L1`,
        breadcrumb: 'Widgets',
        content: 'Widgets puts small widgets on web pages.',
        contentTokens: 10,
        ...content,
        rank: 3,
      },
    ],
    rules: {
      libraryOwn: ['Paint a widget before it is shown.', 'Name every widget.'],
      notice: 'Written by the maintainers of /acme/widgets. These are their words, not instructions of Carrel or of the user.',
    },
    covered: true,
    confidence: expect.any(Number),
  })
})

test('a JSON answer has its empty lists', async () => {
  const answer = await (await ask('query=hinges&type=json', '/acme/widgets@release~2.x')).json()
  expect(answer).toMatchObject({ codeSnippets: [], infoSnippets: [{ breadcrumb: 'Hinges', rank: 1 }] })
})

test('a JSON answer has no rules if the owner gave none', async () => {
  await app.git.create('acme/plain', { files: { 'README.md': '# Plain\n\nPlain words only.\n' } })
  await app.parse('acme/plain')
  expect(Object.keys((await (await ask('query=plain&type=json', '/acme/plain')).json()) as object)).toEqual([
    'codeSnippets',
    'infoSnippets',
    'covered',
    'confidence',
  ])
})

test.each(['txt', 'json'])('an answer of type %s names the search methods in a header', async (type) => {
  expect((await ask(`query=paint&type=${type}`)).headers.get('x-carrel-search')).toBe('text')
})

test.each([
  '/acme/widgets',
  '/ACME/Widgets',
  '%2Facme%2Fwidgets',
  '/acme/widgets/v1.0.0',
  '/acme/widgets@v1.0.0',
  '%2FAcme%2Fwidgets%40v1.0.0',
])('a request for the id %s succeeds', async (id) => {
  expect(await text('query=paint', id)).toContain('paintWidget')
})

test.each(['/acme/widgets/release~2.x', '/acme/widgets@release~2.x'])(
  'a request for %s returns the content of the branch release/2.x',
  async (id) => {
    expect(await text('query=hinges', id)).toContain('Hinges came with release two.')
    expect((await refused('query=hinges')).error).toBe('no_snippets_found')
  },
)

test.each([
  ['acme/widgets', '/acme/widgets'],
  ['/acme/widgets/', '/acme/widgets'],
  ['"/acme/widgets"', '/acme/widgets'],
  ['https://github.com/acme/widgets', '/acme/widgets'],
  ['/acme/widgets@1.0.0', '/acme/widgets@v1.0.0'],
  ['acme/widgets/1.0.0', '/acme/widgets@v1.0.0'],
  ['/acme/widgets/release/2.x', '/acme/widgets@release~2.x'],
])('the id %s returns the same answer as %s', async (written, id) => {
  expect(await text('query=paint', encodeURIComponent(written))).toBe(await text('query=paint', id))
})

test.each([
  ['widgets', 'wrong shape'],
  ['/acme', 'wrong shape'],
  ['/acme/..', 'it contains ".."'],
  ['/../widgets', 'it contains ".."'],
  ['/acme/widgets@..', 'it contains ".."'],
  ['%2F..%2Fwidgets', 'it contains ".."'],
  ['/acme/widgets@v1.0.0/v1.0.0', 'the version is given twice; a slash in a version is written as "~"'],
  ['/acme/@v1', 'a part is empty'],
  ['/acme/widgets@', 'a part is empty'],
])('the id "%s" is invalid: %s', async (id, why) => {
  const answer = await refused('query=paint', id)
  expect(answer).toMatchObject({ status: 400, error: 'invalid_library_id' })
  expect(answer.message).toContain(
    `is not a library id: ${why}; expected /owner/repo, /owner/repo/version or /owner/repo@version.`,
  )
})

test('an id may have 500 characters', async () => {
  expect(await refused('query=x', `/a/${'b'.repeat(497)}`)).toEqual({
    status: 404,
    error: 'library_not_found',
    message: `/a/${'b'.repeat(97)}… is not in this install. Search for its name, or add its repository.`,
  })
  expect(await refused('query=x', `/a/${'b'.repeat(498)}`)).toEqual({
    status: 400,
    error: 'validation_error',
    fields: expect.any(Array),
    message: 'libraryId must not be longer than 500 characters.',
  })
})

test('the body of a JSON answer keeps to the budget, as that of a text answer does', async () => {
  const sections = Array.from(
    { length: 60 },
    (_, i) => `## Paint ${i}\n\n"Paint" \\${i}:\n\n\`\`\`ts\npaint(\n\t${'"red",\n\t'.repeat(9)}${i})\n\`\`\`\n`,
  )
  await app.git.create('acme/quotes', { files: { 'README.md': `# Quotes\n\n${sections.join('\n')}` } })
  await app.parse('acme/quotes')
  for (const type of ['txt', 'json'])
    for (const tokens of [500, 1_500, 4_000]) {
      const body = await text(`query=paint&type=${type}&tokens=${tokens}`, '/acme/quotes')
      expect(body.length / 4).toBeLessThanOrEqual(tokens)
      expect(body.length / 4).toBeGreaterThan(tokens * 0.7)
    }
})

const strange = 'query=kafka+consumer+group+rebalancing+timeout+of+a+widget'

test('an answer to a question that the documentation does not cover says so and names the nearest topics first', async () => {
  const answer = await text(strange)
  expect(answer).toMatch(
    /^Note: The documentation of \/acme\/widgets does not seem to cover this question: no section has "kafka", "consumer", "group", "rebalancing", "timeout"\. The nearest topics are: [^\n]*Widgets/,
  )
  expect(answer).toContain('Widgets puts small widgets on web pages.')
  expect(await (await ask(`${strange}&type=json`)).json()).toMatchObject({ covered: false, confidence: expect.any(Number) })
})

test('an answer to a question that is not covered has no snippets on request', async () => {
  expect(await text(`${strange}&uncovered=hide`)).not.toContain('Source:')
  const { codeSnippets, infoSnippets } = (await (await ask(`${strange}&uncovered=hide&type=json`)).json()) as Record<
    string,
    unknown[]
  >
  expect([codeSnippets, infoSnippets]).toEqual([[], []])
  expect(await text('query=how+do+I+paint+a+widget&uncovered=hide')).toContain("paintWidget('tomato')")
})

test('a pasted error of 8,000 characters finds what its message alone finds', async () => {
  const message = 'Error: paintWidget was called with an unknown colour'
  const frames = '\n    at install (/srv/node_modules/widgets/dist/install.js:22:17)'.repeat(120)
  const answer = await text(`query=${encodeURIComponent(message + frames)}`)
  expect(answer).toBe(await text(`query=${encodeURIComponent(message)}`))
})

test('a question of 8,000 characters that an address holds in six times as many is accepted', async () => {
  expect((await ask(`query=${encodeURIComponent(`paint ${'ä'.repeat(7_900)}`)}`)).status).toBe(200)
})

test('a question that is too long is cut, and the answer says so', async () => {
  expect(await text(`query=paint+${'x'.repeat(8_000)}`)).toContain(
    'Note: Only the first 8,000 characters of the question were read.',
  )
})

test('a question for the table of contents is answered with the list of pages', async () => {
  expect(await text('query=table+of+contents')).toContain('- Widgets: README.md\n- Painting: docs/paint.md')
})

test('a question about the whole documentation is answered from its front page', async () => {
  expect((await text('query=overview')).split('\n').find((line) => line.startsWith('Source:'))).toContain('/README.md')
})

test.each([
  ['query=x', 'libraryId is required.'],
  ['libraryId=&query=x', 'libraryId must not be empty.'],
  ['libraryId=/a/b&libraryId=/a/b&query=x', 'libraryId must be given only once.'],
  ['libraryId=/a/b', 'query is required.'],
  ['libraryId=/a/b&query=', 'query must not be empty.'],
  ['libraryId=/a/b&query=x&uncovered=no', 'uncovered must be one of show, hide.'],
  ['libraryId=/a/b&query=x&type=xml', 'type must be one of txt, json.'],
  ['libraryId=/a/b&query=x&type=', 'type must be one of txt, json.'],
  ['libraryId=/a/b&query=x&fast=1', 'fast must be one of true, false.'],
  ['libraryId=/a/b&query=x&tokens=499', 'tokens must be a whole number from 500 to 50000.'],
  ['libraryId=/a/b&query=x&tokens=50001', 'tokens must be a whole number from 500 to 50000.'],
  ['libraryId=/a/b&query=x&tokens=abc', 'tokens must be a whole number from 500 to 50000.'],
  ['libraryId=/a/b&query=x&tokens=600.5', 'tokens must be a whole number from 500 to 50000.'],
  ['libraryId=/a/b&query=x&tokens=-600', 'tokens must be a whole number from 500 to 50000.'],
  ['libraryId=/a/b&query=x&tokens=', 'tokens must be a whole number from 500 to 50000.'],
  ['libraryId=/a/b&query=x&tokens=600&tokens=700', 'tokens must be given only once.'],
])('the request "$0" is rejected with a message that names the parameter', async (query, message) => {
  expect(await app.json(`/api/v2/context?${query}`)).toEqual({
    status: 400,
    body: { error: 'validation_error', message, fields: expect.any(Array) },
  })
})

test('an unknown library is 404', async () => {
  expect(await refused('query=x', '/acme/nothing')).toEqual({
    status: 404,
    error: 'library_not_found',
    message: '/acme/nothing is not in this install. Search for its name, or add its repository.',
  })
})

test('an unknown version is 404 and lists the existing ones', async () => {
  const answer = await refused('query=x', '/acme/widgets@v9')
  expect(answer).toMatchObject({ status: 404, error: 'tag_not_found' })
  expect(answer.message).toContain('/acme/widgets has no version "v9". There are: release~2.x, v1.0.0.')
})

test.each(['txt', 'json'])(
  'a question that matches nothing is 404 with the topics of the library, never an empty 200 (%s)',
  async (type) => {
    expect(await refused(`query=quantum+zebra&type=${type}`)).toEqual({
      status: 404,
      error: 'no_snippets_found',
      message:
        'Nothing in /acme/widgets matches this question. Ask in other words, in English. Its main topics are: painting, widgets, colours, paint a widget.',
    })
  },
)

test.each(['%00', '%FF%FE', '%F0%9F%98%80', "'", '"%20OR%201', '*', '%25', '%0A%0A', '(((', '-----'])(
  'the question %s, which has no word, gets the same error as one that matches nothing',
  async (question) => {
    expect(await refused(`query=${question}`)).toMatchObject({ status: 404, error: 'no_snippets_found' })
  },
)

test('a question of 500 characters is searched for', async () => {
  expect(await text(`query=${'paint+'.repeat(83)}a+`)).toContain('paintWidget')
})

test.each([500, 1000, 3000, 20_000])(
  'an answer for tokens=%i is never longer, closes its fences and begins with the best snippet',
  async (tokens) => {
    await longLibrary()
    const answer = await text(`query=turn+the+crank&tokens=${tokens}`, '/acme/long')
    expect(answer.length).toBeLessThanOrEqual(tokens * 4)
    expect(fences(answer) % 2).toBe(0)
    expect(answer).toContain('### Guidance')
    expect(answer.match(/^### Manual/gm)?.length ?? 0).toBeGreaterThan(0)
  },
)

test('more tokens give more snippets', async () => {
  await longLibrary()
  const blocks = async (tokens: number) =>
    (await text(`query=turn+the+crank&tokens=${tokens}`, '/acme/long')).split('-'.repeat(32)).length
  expect(await blocks(500)).toBeLessThan(await blocks(2000))
  expect(await blocks(2000)).toBeLessThan(await blocks(8000))
})

test('a best snippet that is too long is cut after its beginning', async () => {
  await longLibrary()
  const blocks = (await text('query=turn+the+crank&tokens=500', '/acme/long')).split('-'.repeat(32))
  expect(blocks).toHaveLength(2)
  expect(blocks[1]).toMatch(/^\n\n### Manual \d+ > Turn the crank \d\n\nSource: .+\n\nCrank number .+\n…$/s)
})

test('a rule of several lines takes one line', async () => {
  await longLibrary()
  const rules = (await text('query=turn+the+crank&tokens=500', '/acme/long')).split('-'.repeat(32))[0] ?? ''
  expect(rules).toMatch(
    /^### Guidance from the library's maintainers\n\nWritten by [^\n]+\n\n- Rule 0 ### Not a heading x{100}\n- Rule 1 /,
  )
})

test('the rules take at most a quarter of the answer', async () => {
  await longLibrary()
  const rules = (await text('query=turn+the+crank&tokens=500', '/acme/long')).split('-'.repeat(32))[0] ?? ''
  expect(rules.length).toBeLessThanOrEqual(500)
})

/** Twenty pages of long sections with code, and more rules than a short answer holds. */
async function longLibrary(): Promise<void> {
  if (app.app.catalog.find({ owner: 'acme', repo: 'long' })) return
  const section = (page: number, n: number) =>
    `## Turn the crank ${n}\n\n${`Crank number ${n} of page ${page} is turned by w${page * 31 + n}. `.repeat(36)}\n\n\`\`\`\`md\n\`\`\`sh\ncrank ${page}${n}\n\`\`\`\n\`\`\`\`\n`
  const pages = Array.from({ length: 20 }, (_, page) => [
    `docs/page-${page}.md`,
    `# Manual ${page}\n\n${Array.from({ length: 3 }, (_, n) => section(page, n)).join('\n')}`,
  ])
  const rules = Array.from({ length: 30 }, (_, i) => `Rule ${i}\n\n### Not a heading\n${'x'.repeat(100)}`)
  await app.git.create('acme/long', { files: { ...Object.fromEntries(pages), 'carrel.json': JSON.stringify({ rules }) } })
  const job = await app.parse('acme/long')
  expect(job.error).toBeNull()
}
