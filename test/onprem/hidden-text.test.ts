import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

const tags = (text: string) => [...text].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('')
const hidden = `${tags('obey')}\u202E\u001b[8m\u200B\u0007`
/** Adds hidden characters to each word. */
const soiled = (text: string) => text.replaceAll(/\w{3,}/g, (word) => `${word}${hidden}`)

const isHidden = /(?![\t\n])[\p{Cc}\p{Cf}]/u
function hiddenIn(value: unknown): string[] {
  if (typeof value === 'string') return isHidden.test(value) ? [JSON.stringify(value)] : []
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(hiddenIn) : []
}

/** All texts that an agent reads about a library that is found by `word`. */
async function told(id: string, word: string): Promise<{ text: string; values: unknown[] }> {
  const context = new URLSearchParams({ libraryId: id, query: word, tokens: '20000' })
  const text = await (await app.ask(`/api/v2/context?${context}`)).text()
  const paths = [
    `/api/v2/context?${context}&type=json`,
    `/api/v2/libs/search?${new URLSearchParams({ libraryName: word, query: word })}`,
    `/api/projects${id}`,
    '/api/projects',
    '/api/jobs?pageSize=1',
  ]
  const values = await Promise.all(paths.map(async (path) => (await app.json(path, { key: app.keys.admin })).body))
  return { text, values }
}

test('hidden text in words, files and tags of a repository reaches no agent', async () => {
  const entities = '# Entities\n\nTurn the crank &#x202E;slowly&#8203; &#xE0041;now.\n'
  const notebook = {
    metadata: {},
    nbformat: 4,
    cells: [{ cell_type: 'markdown', source: [soiled('# Notebook\n'), soiled('Turn the crank at night.')] }],
  }
  const openapi = {
    openapi: '3.1.0',
    info: { title: soiled('Crank service'), version: '1' },
    paths: { '/crank': { get: { summary: soiled('Turn the crank'), responses: { 200: { description: 'ok' } } } } },
  }
  await app.git.create('acme/cranks', {
    files: {
      'carrel.json': JSON.stringify({
        projectTitle: soiled('Cranks'),
        description: soiled('Cranks for crank users'),
        rules: [soiled('Turn the crank clockwise.')],
      }),
      'README.md': soiled('# Cranks\n\nTurn the crank with care.\n\n```sh\ncrank turn\n```\n'),
      [`docs/crank\u202E${tags('x')}.md`]: 'Turn the crank in a file without a title.\n',
      'docs/entities.md': entities,
      'docs/page.html': '<html><body><h1>Page</h1><p>Turn the crank &#x202E;in HTML&zwj;.</p></body></html>',
      'docs/page.rst': soiled('Manual\n======\n\nTurn the crank by hand.\n'),
      'docs/book.ipynb': JSON.stringify(notebook),
      'docs/api.json': JSON.stringify(openapi),
      'docs/empty\u202E.md': '\n',
    },
    tags: ['v1.0.0', 'v2\u202E.0.0'],
  })
  const job = await app.parse('acme/cranks', { versions: ['v1.0.0'] })
  expect(job.state).toBe('done')
  const { text, values } = await told('/acme/cranks', 'cranks')
  expect(hiddenIn([text, values])).toEqual([])
  for (const words of ['with care', 'slowly', 'in HTML', 'by hand', 'at night', 'without a title'])
    expect(text.replaceAll('[8m', '')).toContain(words)

  const refused = await app.json('/api/parse', {
    method: 'POST',
    key: app.keys.admin,
    body: { repoUrl: `${app.git.url}/acme/cranks`, versions: ['v2\u202E.0.0'], force: true },
  })
  const failed = refused.status === 202 ? await app.ended((refused.body as { queueId: number }).queueId) : refused
  expect(JSON.stringify(failed)).toContain('has no branch or tag')
  expect(hiddenIn((await told('/acme/cranks', 'cranks')).values)).toEqual([])
})

test('hidden text in the fields of a bundle reaches no agent', async () => {
  const library = {
    project: '/bars/lever',
    title: soiled('Levers'),
    description: soiled('Levers for lever users'),
    branch: soiled('main'),
    rules: [soiled('Pull the lever gently.')],
    aliases: [soiled('levers')],
    versions: [soiled('v1')],
    codeSnippets: [
      {
        id: `https://example.com/${hidden}lever`,
        title: soiled('Pulling'),
        description: soiled('Pull the lever'),
        language: soiled('shell'),
        codeList: [{ language: soiled('shell'), code: soiled('lever pull\r\nlever stop') }],
        path: soiled('docs/lever.md'),
        topic: soiled('pulling'),
      },
    ],
    infoSnippets: [{ id: 'https://example.com/', content: soiled('The lever is long.'), breadcrumb: soiled('Guide > Lever') }],
  }
  const sent = await app.json('/api/import-libraries', { method: 'POST', key: app.keys.admin, body: { libraries: [library] } })
  expect(sent).toMatchObject({ status: 202, body: { queued: ['/bars/lever'] } })
  await expect.poll(async () => (await app.json('/api/parse-status')).body).toEqual({ activeParses: {} })
  const { text, values } = await told('/bars/lever', 'levers')
  expect(hiddenIn([text, values])).toEqual([])
  expect(text.replaceAll('[8m', '')).toContain('lever pull\nlever stop')
})

test('an id with a control character or white space is rejected by import, queries and deletion', async () => {
  const ids = ['/bars/\u0000x', '/bars/\u202Ex', '/bars/a x', '/bars/x\n', '/bars/x@v\u0007']
  const libraries = ids.map((libraryId) => ({
    project: libraryId,
    title: 'x',
    codeSnippets: [],
    infoSnippets: [{ id: 'https://example.com/', content: 'The bar is long.' }],
  }))
  const sent = await app.json('/api/import-libraries', { method: 'POST', key: app.keys.admin, body: { libraries } })
  expect(sent.body).toMatchObject({
    queued: [],
    skipped: ids.map(() => ({ reason: expect.stringContaining('contains white space or a control or invisible character') })),
  })
  expect(hiddenIn(sent.body)).toEqual([])
  for (const id of ids) {
    const asked = await app.json(`/api/v2/context?${new URLSearchParams({ libraryId: id, query: 'bar' })}`)
    expect(asked).toMatchObject({ status: 400, body: { error: 'invalid_library_id' } })
    if (id.includes('\n')) continue
    const path = id.slice(1).split('/').map(encodeURIComponent).join('/')
    const deleted = await app.json(`/api/projects/${path}`, { method: 'DELETE', key: app.keys.admin })
    expect(deleted, id).toMatchObject({ status: 400, body: { error: 'invalid_library_id' } })
  }
})

test('an id that is absent, empty, repeated or too long is a validation error', async () => {
  for (const query of ['', 'libraryId=&', 'libraryId=/a/b&libraryId=/c/d&', `libraryId=/a/${'b'.repeat(500)}&`]) {
    const asked = await app.json(`/api/v2/context?${query}query=bar`)
    expect(asked, query).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  }
})
