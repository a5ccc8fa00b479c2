import { describe, expect, test } from 'vitest'
import { apiDescriptionReader } from '../../../../shared/reading/read-api-description.ts'
import { codeOf, contextOf, pageText, proseOf } from '../page-text.ts'

const read = async (text: string, path = 'api.yaml') => apiDescriptionReader(text, contextOf(path))

const pets = `openapi: 3.1.0
info:
  title: Pets
  description: |
    Keeps pets.

    ## Limits

    Ten a second.
servers: [{url: https://pets.example/v1, description: live}]
tags: [{name: pet, x-displayName: Pet, description: About pets}]
paths:
  /pets/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string, format: uuid}}
    put:
      operationId: putPet
      summary: Replace a pet
      tags: [pet]
      description: |
        Replaces *all* of it, see [the guide](https://pets.example).

        \`\`\`sh
        pets put 7
        \`\`\`
      parameters: [{$ref: '#/components/parameters/Dry'}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Pet'}
            example: {name: Rex}
      responses:
        '200': {description: Replaced, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
        '404': {description: No such pet, content: {application/json: {schema: {$ref: '#/components/schemas/Error'}, examples: {gone: {value: {code: 7}}}}}}
        '409': {description: Busy, content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}
      security: [{token: [write]}]
      x-codeSamples: [{lang: Shell, source: curl -X PUT}, {lang: JavaScript, label: SDK, source: put()}]
    delete: {responses: {'204': {description: Gone}}}
webhooks:
  petSold: {post: {summary: A pet was sold, responses: {}}}
components:
  parameters:
    Dry: {name: dryRun, in: query, description: Only say what would happen, schema: {type: boolean, default: false}}
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: {type: string}
        kind: {type: string, enum: [cat, dog]}
        parent: {$ref: '#/components/schemas/Pet'}
        friends: {type: array, items: {$ref: '#/components/schemas/Pet'}}
        home: {type: object, properties: {street: {type: string}}}
    Error: {type: object, properties: {code: {type: integer}}}
`

const swagger = JSON.stringify({
  swagger: '2.0',
  info: { title: 'Old' },
  host: 'old.example',
  basePath: '/v1',
  paths: {
    '/a': {
      post: {
        parameters: [
          { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/A~1B' } },
          { name: 'n', in: 'query', type: 'integer', description: 'How many' },
        ],
        responses: {
          200: {
            description: 'Done',
            schema: { type: 'array', items: { $ref: '#/definitions/A~1B' } },
            examples: { 'application/json': [1] },
          },
        },
      },
    },
  },
  definitions: { 'A/B': { type: 'object', properties: { x: { type: 'string', description: 'An x' } } } },
})

describe('an OpenAPI document', () => {
  test('has one section per operation: parameters, responses, examples', async () => {
    expect(pageText(await read(pets))).toMatchInlineSnapshot(`
      "# Pets

      Keeps pets.

      Served at:

      - \`https://pets.example/v1\`: live

      ## Limits

      Ten a second.

      ## Pet

      About pets

      ## Pet > Replace a pet

      \`PUT /pets/{id}\` (operationId \`putPet\`)

      Replaces *all* of it, see the guide.

      ~~~ sh
      pets put 7
      ~~~

      ~~~ bash, "Shell", group 1
      curl -X PUT
      ~~~

      ~~~ javascript, "SDK", group 1
      put()
      ~~~

      Parameters:

      - \`id\` (string (uuid), path, required)
      - \`dryRun\` (boolean, query, default \`false\`): Only say what would happen

      Request body (\`application/json\`, Pet, required):

      - \`name\` (string, required)
      - \`kind\` (string, one of \`cat\`, \`dog\`)
      - \`parent\` (Pet)
      - \`friends\` (array of Pet)
      - \`home\` (object)
        - \`street\` (string)

      Responses:

      - \`200\` (\`application/json\`, Pet): Replaced
        - \`name\` (string, required)
        - \`kind\` (string, one of \`cat\`, \`dog\`)
        - \`parent\` (Pet)
        - \`friends\` (array of Pet)
        - \`home\` (object)
          - \`street\` (string)
      - \`404\` (\`application/json\`, Error): No such pet
      - \`409\` (\`application/json\`, Error): Busy

      Authentication: \`token\` (write)

      ~~~ json, "request"
      {
        "name": "Rex"
      }
      ~~~

      ~~~ json, "response 404, gone"
      {
        "code": 7
      }
      ~~~

      ## DELETE /pets/{id}

      \`DELETE /pets/{id}\`

      Parameters:

      - \`id\` (string (uuid), path, required)

      Responses:

      - \`204\`: Gone

      ## A pet was sold

      \`POST webhook petSold\`

      ## Error

      - \`code\` (integer)"
    `)
  })

  test('may be Swagger 2 in JSON', async () => {
    expect(pageText(await read(swagger, 'api.json'))).toMatchInlineSnapshot(`
      "# Old

      Served at:

      - \`old.example/v1\`

      ## POST /a

      \`POST /a\`

      Parameters:

      - \`n\` (integer, query): How many

      Request body (A/B, required):

      - \`x\` (string): An x

      Responses:

      - \`200\` (array of A/B): Done
        - \`x\` (string): An x

      ~~~ json, "response 200"
      [
        1
      ]
      ~~~"
    `)
  })

  test('keeps a top heading of its description as a section', async () => {
    const page = await read('openapi: 3.0.0\ninfo: {title: Pets, description: "# Start\\n\\nFirst."}\n')
    expect(pageText(page)).toBe('# Pets\n\n## Start\n\nFirst.')
  })

  test('keeps the fenced code of every description', async () => {
    const page = await read(`openapi: 3.0.0
paths:
  /a:
    get:
      parameters: [{name: q, in: query, description: "Like\\n\\n\`\`\`js\\nq=1\\n\`\`\`\\n"}]
      responses: {'200': {description: "So\\n~~~\\nok\\n~~~"}}
`)
    expect(codeOf(page).map((block) => [block.language, block.code])).toEqual([
      ['', 'ok'],
      ['js', 'q=1'],
    ])
    expect(proseOf(page)).toContain('- `q` (query): Like')
  })

  test.each([
    ['references in a circle', `{"a": {"$ref": "#/components/schemas/a"}}`],
    [
      'a schema within itself',
      `{"a": {"properties": {"b": {"$ref": "#/components/schemas/a"}}, "allOf": [{"$ref": "#/components/schemas/a"}]}}`,
    ],
    [
      'many variants of many variants',
      JSON.stringify(
        Object.fromEntries(
          ['a', 'b', 'c', 'd', 'e'].map((name, index) => [
            name,
            { oneOf: Array(500).fill({ $ref: `#/components/schemas/${'bcdef'[index]}` }) },
          ]),
        ),
      ),
    ],
  ])('is read to an end with %s', async (_, schemas) => {
    const operation = '{"get": {"requestBody": {"content": {"x": {"schema": {"$ref": "#/components/schemas/a"}}}}}}'
    const page = await read(
      `{"openapi": "3.0.0", "paths": {"/a": ${operation}}, "components": {"schemas": ${schemas}}}`,
      'a.json',
    )
    expect(page.sections).toHaveLength(1)
  })

  test.each([
    ['{', 'a.json', /^not a readable OpenAPI document: /],
    ['a: [', 'a.yaml', /^not a readable OpenAPI document: /],
    ['a: 1', 'a.yaml', /^not an OpenAPI document: /],
    ['[]', 'a.json', /^not an OpenAPI document: /],
    [`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 'a.yaml', /^not a readable OpenAPI document: /],
  ])('is rejected with a clear message if it is broken', async (text, path, sentence) => {
    await expect(read(text, path)).rejects.toThrow(sentence)
  })

  test('is rejected if another document follows in its file', async () => {
    await expect(read('openapi: 3.0.0\n---\nopenapi: 3.1.0\n', 'a.yaml')).rejects.toThrow(
      /^not an OpenAPI document: the file holds several YAML documents, divided by "---"; put each into its own file$/,
    )
    expect(await read('---\nopenapi: 3.0.0\ninfo: {title: Pets}\n...\n', 'a.yaml')).toMatchObject({ title: 'Pets' })
  })

  test('is rejected if YAML aliases multiply', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(', ')}]`,
    )
    await expect(read(`openapi: 3.0.0\na0: &a0 [x]\n${levels.join('\n')}\n`)).rejects.toThrow(/alias/i)
  })
})

describe('a complete reading of an OpenAPI document', () => {
  test('makes one section per schema if it has only schemas', async () => {
    const pet = {
      type: 'object',
      description: 'A pet.',
      properties: { name: { type: 'string', description: 'How it is called' } },
    }
    const page = await read(
      JSON.stringify({ openapi: '3.1.0', components: { schemas: { Pet: pet, Id: { type: 'string' } } } }),
      'a.json',
    )
    expect(page.sections.map(({ headings }) => headings)).toEqual([['Pet'], ['Id']])
    expect(proseOf(page)).toContain('A pet.\n\n- `name` (string): How it is called')
  })

  test('keeps the description of a path and the long one of a parameter', async () => {
    const description = `${'word '.repeat(300)}last`
    const get = { parameters: [{ name: 'a', in: 'query', description }], responses: {} }
    const page = await read(
      JSON.stringify({ openapi: '3.1.0', paths: { '/p': { description: 'All of the path.', get } } }),
      'a.json',
    )
    expect(proseOf(page)).toContain('All of the path.')
    expect(proseOf(page)).toContain(description)
  })
})
