import { describe, expect, test } from 'vitest'
import type { Page } from '../../../../shared/reading/page/page.ts'
import { apiDescriptionReader } from '../../../../shared/reading/read-api-description.ts'
import { codeOf, contextOf, proseOf } from '../page-text.ts'

const read = async (document: object): Promise<Page> =>
  apiDescriptionReader(JSON.stringify({ openapi: '3.1.0', ...document }), contextOf('api.json'))
const readPost = (operation: object) => read({ paths: { '/pets': { post: operation } } })
const headings = ({ sections }: Page) => sections.map((section) => section.headings)
const samples = (page: Page) => codeOf(page).map(({ language, label, code }) => [language, label, code])

const long = `Sets how long the bark is. ${'It is measured in seconds. '.repeat(20)}`

describe('the title of an operation', () => {
  test.each([
    ['its summary as plain text', { summary: 'Make a **pet** of `kind`, see [kinds](/kinds).' }, 'Make a pet of kind, see kinds'],
    ['its method and path if it has no summary', { description: 'Makes a [pet](/pets).' }, 'POST /pets'],
    ['its method and path if the summary has paragraphs', { summary: 'See [news](/news).\n\nMakes a pet.' }, 'POST /pets'],
    ['its method and path if the summary is long', { summary: 'word '.repeat(100) }, 'POST /pets'],
    [
      'the name in x-oaiMeta if the summary is no title',
      { summary: 'See.\n\nMakes a pet.', 'x-oaiMeta': { name: 'Make a pet' } },
      'Make a pet',
    ],
  ])('is %s', async (_, operation, title) => {
    expect(headings(await readPost(operation))).toEqual([[title]])
  })

  test('leaves a summary that is no title to the text', async () => {
    const page = await readPost({ summary: 'See [news](/news).\n\nMakes a pet.', description: 'Barks.' })
    expect(proseOf(page)).toBe('`POST /pets`\n\nSee news.\n\nMakes a pet.\n\nBarks.')
  })
})

describe('the code of an operation', () => {
  const source = 'pets.make()'

  test.each([
    ['x-codeSamples', { 'x-codeSamples': [{ lang: 'Python', source }] }],
    ['x-code-samples', { 'x-code-samples': [{ lang: 'Python', source }] }],
    ['x-readme', { 'x-readme': { 'code-samples': [{ language: 'Python', code: source }] } }],
    ['x-readme samples', { 'x-readme': { samples: [{ language: 'Python', code: source }] } }],
    ['x-oaiMeta', { 'x-oaiMeta': { examples: { request: { Python: source } } } }],
  ])('is read from %s', async (_, operation) => {
    expect(samples(await readPost(operation))).toEqual([['python', 'Python', source]])
  })

  test('has titles, variants and replies of x-oaiMeta', async () => {
    const page = await readPost({
      'x-oaiMeta': {
        examples: [
          { title: 'Dogs', request: { curl: 'curl dogs', 'node.js': 'dogs()' }, response: '{"dog": 1}' },
          { title: 'Cats', request: { curl: 'curl cats' }, response: 'data: cat' },
        ],
      },
    })
    expect(codeOf(page).map(({ language, label, group }) => [language, label, group])).toEqual([
      ['bash', 'Dogs, curl', 3],
      ['javascript', 'Dogs, node.js', 3],
      ['json', 'Dogs, response', undefined],
      ['bash', 'Cats, curl', 4],
      ['', 'Cats, response', undefined],
    ])
  })

  test('has examples of requests and responses in their language', async () => {
    const page = await readPost({
      requestBody: { content: { 'application/xml': { example: '<pet/>' }, 'application/json': { example: { pet: 1 } } } },
      responses: { 200: { content: { 'application/json': { examples: { one: { summary: 'One pet', value: [1] } } } } } },
    })
    expect(samples(page)).toEqual([
      ['xml', 'request', '<pet/>'],
      ['json', 'request', '{\n  "pet": 1\n}'],
      ['json', 'response 200, One pet', '[\n  1\n]'],
    ])
  })

  test('shows the example of an error that operations share in a section of the error', async () => {
    const no = { description: 'Not allowed.', content: { json: { schema: { properties: { why: {} } }, example: { why: 'no' } } } }
    const operation = { responses: { 401: { $ref: '#/components/responses/No' }, 404: { content: { x: { example: 'gone' } } } } }
    const page = await read({
      paths: { '/a': { get: operation, put: operation } },
      components: { responses: { No: no } },
    })
    expect(headings(page)).toEqual([['GET /a'], ['PUT /a'], ['401 Not allowed']])
    expect(samples(page).map(([, label]) => label)).toEqual(['response 404', 'response 404', undefined])
    expect(proseOf(page).match(/- `401` \(`json`\): Not allowed\./g)).toHaveLength(2)
    expect(proseOf(page).match(/- `why`/g)).toHaveLength(1)
  })

  test('shows its own examples of an error whose schema operations share', async () => {
    const schema = { $ref: '#/components/schemas/Fault' }
    const content = (example: object) => ({ json: { schema, ...example } })
    const page = await read({
      paths: {
        '/a': { get: { responses: { 429: { content: content({}) } } } },
        '/b': { get: { responses: { 400: { description: 'Bad', content: content({ example: { why: 'b' } }) } } } },
      },
      components: { schemas: { Fault: { properties: { why: {} }, example: { why: 'a' } } } },
    })
    expect(headings(page)).toEqual([['GET /a'], ['GET /b'], ['Fault']])
    expect(samples(page).map(([, label]) => label)).toEqual(['response 400', 'example'])
    expect(proseOf(page).match(/- `why`/g)).toHaveLength(1)
  })

  test('includes that of a schema with an example, which gets a section', async () => {
    const page = await read({
      paths: { '/a': { get: { summary: 'Get a' } } },
      components: {
        schemas: {
          Chat: { type: 'object', 'x-oaiMeta': { name: 'The chat object', example: '{"id": 1}' } },
          Pet: { type: 'object', example: { pet: 1 } },
          Id: { type: 'string', example: '7' },
        },
      },
    })
    expect(headings(page)).toEqual([['Get a'], ['The chat object'], ['Pet']])
    expect(samples(page)).toEqual([
      ['json', 'example', '{"id": 1}'],
      ['json', 'example', '{\n  "pet": 1\n}'],
    ])
  })
})

describe('a long description', () => {
  test('gets a section if it is of a property, and the list has its first sentences', async () => {
    const schema = { type: 'object', properties: { bark: { type: 'integer', description: long }, name: { type: 'string' } } }
    const page = await readPost({ summary: 'Make', requestBody: { content: { 'application/json': { schema } } } })
    expect(headings(page)).toEqual([['Make'], ['Make', 'bark']])
    const [list, detail] = page.sections.map((section) => proseOf({ sections: [section] }))
    expect(list).toMatch(/- `bark` \(integer\): Sets how long the bark is\.(?: It is measured in seconds\.){1,6}\n- `name`/)
    expect(detail).toBe(`\`bark\` (integer)\n\n${long.trim()}`)
  })

  test('gets one section if it is of a schema that operations share', async () => {
    const content = { x: { schema: { $ref: '#/components/schemas/Pet' } } }
    const page = await read({
      paths: { '/a': { put: { requestBody: { content } }, post: { requestBody: { content } } } },
      components: { schemas: { Pet: { properties: { bark: { description: long } } } } },
    })
    expect(headings(page)).toEqual([['POST /a'], ['POST /a', 'bark'], ['PUT /a']])
  })

  test('keeps its code and its line if it is of a parameter', async () => {
    const text = `openapi: 3.0.0
paths:
  /a:
    get:
      parameters:
        - name: q
          in: query
          description: "Like\\n\\n\`\`\`js\\nq=1\\n\`\`\`\\n"
`
    const { sections } = await apiDescriptionReader(text, contextOf('api.yaml'))
    expect(sections.map(({ headings, line }) => [headings.at(-1), line])).toEqual([
      ['GET /a', 4],
      ['q', 6],
    ])
    expect(codeOf({ sections }).map(({ language, code }) => [language, code])).toEqual([['js', 'q=1']])
  })
})

describe('the section of an operation', () => {
  test('is followed by those of its callbacks', async () => {
    const page = await readPost({
      summary: 'Subscribe',
      tags: ['events'],
      callbacks: { sold: { '{$request.body#/url}': { post: { summary: 'Tell who bought it', requestBody: {} } } } },
    })
    expect(headings(page)).toEqual([
      ['events', 'Subscribe'],
      ['events', 'Subscribe', 'Tell who bought it'],
    ])
    expect(proseOf(page)).toContain('`POST callback sold {$request.body#/url}`')
  })

  test('lists the headers of its responses once', async () => {
    const headers = { 'X-Left': { schema: { type: 'integer' }, description: 'Calls left' } }
    const page = await readPost({ responses: { 200: { headers }, 404: { headers } } })
    expect(proseOf(page)).toContain('Response headers:\n\n- `X-Left` (integer): Calls left')
    expect(proseOf(page).match(/X-Left/g)).toHaveLength(1)
  })

  test('lists the properties that variants of a body share once', async () => {
    const shared = { $ref: '#/components/schemas/Pet' }
    const schema = { oneOf: [{ allOf: [shared, { properties: { a: {} } }] }, { allOf: [shared, { properties: { b: {} } }] }] }
    const page = await read({
      paths: { '/a': { put: { requestBody: { content: { x: { schema } } } } } },
      components: { schemas: { Pet: { properties: { name: { type: 'string' } } } } },
    })
    expect(proseOf(page)).toContain('- `name` (string)\n- `a`\n- `b`')
  })
})
