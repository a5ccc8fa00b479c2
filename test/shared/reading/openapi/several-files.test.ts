import { describe, expect, test } from 'vitest'
import type { Page } from '../../../../shared/reading/page/page.ts'
import { apiDescriptionReader } from '../../../../shared/reading/read-api-description.ts'
import { codeOf, contextOf, pageText, proseOf } from '../page-text.ts'

const read = async (files: Record<string, string>, path = 'openapi.yaml') =>
  apiDescriptionReader(files[path] ?? '', contextOf(path, files))

const headings = (page: Page) => page.sections.map((section) => section.headings.join(' > '))

const things = {
  'openapi.yaml': `openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things: { $ref: ./paths/things.yaml }
  /inline:
    post:
      $ref: paths/make.yaml
`,
  'paths/things.yaml': `# Things
get:
  summary: List things
  parameters: [{ name: limit, in: query, schema: { type: integer, default: 20 } }]
  responses: { '200': { $ref: ../components/Thing.yaml } }
`,
  'paths/make.yaml': `summary: Make a thing
requestBody: { content: { application/json: { schema: { $ref: ../schemas/thing.json } } } }
`,
  'components/Thing.yaml': `description: A thing
content: { application/json: { schema: { $ref: '../schemas/thing.json' } } }
`,
  'schemas/thing.json': '{ "properties": { "size": { "type": "integer", "description": "In metres" } } }',
}

describe('an OpenAPI document over several files', () => {
  test('has the operations, parameters, bodies and responses of the other files', async () => {
    expect(pageText(await read(things))).toMatchInlineSnapshot(`
      "# Things

      ## List things

      \`GET /things\`

      Parameters:

      - \`limit\` (integer, query, default \`20\`)

      Responses:

      - \`200\` (\`application/json\`, thing): A thing
        - \`size\` (integer): In metres

      ## Make a thing

      \`POST /inline\`

      Request body (\`application/json\`, thing):

      - \`size\` (integer): In metres"
    `)
  })

  test('links an operation to the line where it is written', async () => {
    const { sections } = await read(things)
    expect(sections.map(({ headings, file, line }) => [headings.join(), file, line])).toEqual([
      ['List things', 'paths/things.yaml', 2],
      ['Make a thing', 'paths/make.yaml', 1],
    ])
  })

  test('resolves references of a fragment from its own file, and else from the document', async () => {
    const page = await read(
      {
        'api/openapi.yaml': `openapi: 3.0.0
paths: { $ref: routes/index.yaml }
components: { schemas: { Root: { properties: { fromRoot: { type: string } } } } }
`,
        'api/routes/index.yaml': `/a:
  post:
    requestBody: { content: { application/json: { schema: { $ref: '#/parts/Own' } } } }
    responses: { '200': { description: Yes, content: { application/json: { schema: { $ref: '#/components/schemas/Root' } } } } }
parts:
  Own: { properties: { fromFile: { $ref: '../openapi.yaml#/components/schemas/Root' } } }
`,
      },
      'api/openapi.yaml',
    )
    expect(proseOf(page)).toContain('- `fromFile` (Root)\n  - `fromRoot` (string)')
    expect(proseOf(page)).toContain('  - `fromRoot` (string)')
  })

  test('resolves texts, tags, headers, examples and security schemes in other files', async () => {
    const page = await read({
      'openapi.yaml': `openapi: 3.0.0
info: { title: Pets, description: { $ref: ./intro.md } }
tags: { $ref: parts.yaml#/tags }
paths:
  /pets:
    get:
      tags: [pets]
      description: { $ref: parts.yaml#/texts/list }
      x-codeSamples: [{ lang: Shell, source: { $ref: samples/list.sh } }]
      responses:
        '200':
          description: All
          headers: { X-Left: { $ref: parts.yaml#/headers/left } }
          content: { application/json: { examples: { two: { $ref: parts.yaml#/examples/two } } } }
components: { securitySchemes: { token: { $ref: parts.yaml#/token } } }
`,
      'intro.md': 'About *pets*.',
      'samples/list.sh': 'pets list\n',
      'parts.yaml': `tags: [{ name: pets, x-displayName: All pets, description: They bark. }]
texts: { list: Lists them. }
headers: { left: { schema: { type: integer }, description: Calls left } }
examples: { two: { value: [1, 2] } }
token: { type: http, scheme: bearer }
`,
    })
    expect(pageText(page)).toMatchInlineSnapshot(`
      "# Pets

      About *pets*.

      Authentication:

      - \`token\` (http bearer)

      ## All pets

      They bark.

      ## All pets > GET /pets

      \`GET /pets\`

      Lists them.

      ~~~ bash, "Shell", group 1
      pets list
      ~~~

      Responses:

      - \`200\` (\`application/json\`): All

      Response headers:

      - \`X-Left\` (integer): Calls left

      ~~~ json, "response 200, two"
      [
        1,
        2
      ]
      ~~~"
    `)
  })

  test('links a description to the file where it is written', async () => {
    const { sections } = await read({
      'openapi.yaml': `openapi: 3.0.0
info: { title: Pets, description: { $ref: intro.md } }
tags:
  - { name: a, description: { $ref: 'texts.yaml#/a' } }
  - { name: b, description: Own. }
`,
      'intro.md': 'About *pets*.',
      'texts.yaml': 'a: They bark.\n',
    })
    expect(sections.map(({ file, line }) => [file, line])).toEqual([
      ['intro.md', 0],
      ['texts.yaml', 0],
      [undefined, 5],
    ])
  })

  test('keeps what is written next to a reference', async () => {
    const page = await read({
      'openapi.yaml': `openapi: 3.1.0
paths: { /a: { $ref: a.yaml, parameters: [{ name: trace, in: header }] } }
`,
      'a.yaml': 'get: { summary: Get a }',
    })
    expect(proseOf(page)).toContain('- `trace` (header)')
  })

  test.each([
    ['http://127.0.0.1:9/x.yaml', 'not in the repository'],
    ['//127.0.0.1/x.yaml', 'not in the repository'],
    ['file:///etc/passwd', 'not in the repository'],
    ['/etc/passwd', 'not in the repository'],
    ['../../etc/passwd', 'not in the repository'],
    ['gone.yaml', 'not found'],
    ['#/components/gone', 'not found'],
    ['broken.yaml', 'not readable'],
    ['#/paths/~1a', 'circular'],
  ])('names a reference to %s, which is %s', async (ref, reason) => {
    const asked: string[] = []
    const files: Record<string, string> = { 'broken.yaml': 'a: [' }
    const text = `openapi: 3.0.0\npaths: { /a: { $ref: '${ref}' }, /b: { get: { summary: Get b } } }\n`
    const page = await apiDescriptionReader(text, {
      path: 'api/openapi.yaml',
      readFile(path) {
        asked.push(path)
        return files[path.replace('api/', '')]
      },
    })
    expect(headings(page)).toEqual(['Get b'])
    expect(page.omitted).toBe(`it has references that cannot be followed: ${ref} (${reason})`)
    expect(asked.filter((path) => !path.startsWith('api/'))).toEqual([])
  })

  test('inserts the files that are parts of an example', async () => {
    const page = await read({
      'openapi.yaml': `openapi: 3.0.0
paths: { /a: { get: { responses: { '200': { content: { json: { example: { events: [{ $ref: parts/one.yaml }], schema: { $ref: '#/x' } } } } } } } } }
`,
      'parts/one.yaml': 'id: 1\nparent: { $ref: two.json }\n',
      'parts/two.json': '{ "id": 2 }',
    })
    const [code] = codeOf(page)
    expect(code?.code).toContain('{\n      "id": 1,\n      "parent": {\n        "id": 2\n      }\n    }')
    expect(code?.code).toContain('"$ref": "#/x"')
  })

  test('keeps the references of an example to files that refer to each other', async () => {
    const page = await read({
      'openapi.yaml': `openapi: 3.0.0
paths: { /a: { get: { responses: { '200': { content: { json: { example: { one: { $ref: one.yaml } } } } } } } } }
`,
      'one.yaml': 'again: { $ref: one.yaml }\n',
    })
    expect(codeOf(page)[0]?.code).toBe('{\n  "one": {\n    "$ref": "one.yaml"\n  }\n}')
  })

  test.each([
    [
      'multiplying aliases',
      `a0: &a0 [x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`)}]`).join('\n')}`,
    ],
    ['deep nesting', '['.repeat(20_000)],
    ['several documents', 'get: { summary: One }\n---\nget: { summary: Two }\n'],
  ])('names a file with %s, and reads the others', async (_, text) => {
    const paths = '{ /a: { $ref: bad.yaml }, /b: { $ref: good.yaml } }'
    const page = await read({
      'openapi.yaml': `openapi: 3.0.0\npaths: ${paths}\n`,
      'bad.yaml': text,
      'good.yaml': 'get: { summary: Good }',
    })
    expect(headings(page)).toEqual(['Good'])
    expect(page.omitted).toContain('bad.yaml (not readable)')
  })

  test('names ten of many references', async () => {
    const paths = Array.from({ length: 5_000 }, (_, i) => `  /${i}: { $ref: gone/${i}.yaml }`).join('\n')
    const { omitted } = await read({ 'openapi.yaml': `openapi: 3.0.0\npaths:\n${paths}\n` })
    expect(omitted).toMatch(/gone\/9\.yaml \(not found\), and 4990 more$/)
  })

  test('reads each of 10,000 files once', async () => {
    const paths = Array.from({ length: 10_000 }, (_, i) => `  /${i}: { $ref: paths/${i}.yaml }`).join('\n')
    const padding = `x-padding: ${'x'.repeat(800)}`
    let reads = 0
    const page = await apiDescriptionReader(`openapi: 3.0.0\npaths:\n${paths}\n`, {
      path: 'openapi.yaml',
      readFile(path) {
        reads += 1
        return path === 'shared.yaml'
          ? 'type: integer'
          : `get:\n  summary: Get ${path}\n  parameters: [{ name: n, in: query, schema: { $ref: ../shared.yaml } }]\n${padding}\n`
      },
    })
    expect(page.sections).toHaveLength(10_000)
    expect(page.omitted).toBeUndefined()
    expect(reads).toBe(10_001)
  })

  test('reads no more than twelve million characters of other files', async () => {
    const paths = Array.from({ length: 30 }, (_, i) => `  /${i}: { $ref: ${i}.yaml }`).join('\n')
    let chars = 0
    const page = await apiDescriptionReader(`openapi: 3.0.0\npaths:\n${paths}\n`, {
      path: 'openapi.yaml',
      readFile() {
        const text = `get: { summary: Get }\n#${'x'.repeat(1_000_000)}`
        chars += text.length
        return text
      },
    })
    expect(chars).toBeLessThan(14_000_000)
    expect(page.omitted).toContain('12.yaml (more than is read for one document)')
  })

  test('ends if references lead to references that lead nowhere', async () => {
    const links = Array.from({ length: 500 }, (_, i) => `l${i}: { $ref: '#/l${i + 1}/x' }`).join('\n')
    const page = await read({
      'openapi.yaml': `openapi: 3.0.0\npaths: { /a: { $ref: 'links.yaml#/l0/x' } }\n`,
      'links.yaml': links,
    })
    expect(page.sections).toEqual([])
  })
})
