import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsonBodies, misspeltBody } from '../../fixtures/json-bodies.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

/** Bundles are tolerant; settings are checked by name; the object that adds a model is always empty. */
const others = ['/api/import-libraries', '/api/settings', '/api/settings/test', '/api/models/{name}']

const hasFields = ({ properties = {} }: { properties?: object }) => Object.keys(properties).length > 0

test('every JSON body rejects an unknown field and names a similar one', async () => {
  const bodies = jsonBodies(await (await app.ask('/api/openapi.json')).json())
  const strict = bodies.filter(({ path, schema }) => !others.includes(path) && hasFields(schema))
  expect(strict.length).toBeGreaterThan(8)
  for (const { method, path, schema } of strict) {
    const { meant, body } = misspeltBody(schema)
    const answer = await app.json(path.replace('{id}', '9'), { method, body, key: app.keys.admin })
    expect([path, answer]).toMatchObject([
      path,
      {
        status: 400,
        body: {
          error: 'validation_error',
          fields: expect.arrayContaining([
            { path: `${meant}x`, message: expect.stringMatching(new RegExp(`^is not a known field. Did you mean ${meant}[,?]`)) },
          ]),
        },
      },
    ])
    expect([path, schema.additionalProperties]).toEqual([path, false])
  }
})

test('a body without fields rejects one', async () => {
  const bodies = jsonBodies(await (await app.ask('/api/openapi.json')).json())
  const empty = bodies.filter(({ path, schema }) => !others.includes(path) && !hasFields(schema))
  expect(empty.length).toBeGreaterThan(0)
  for (const { method, path } of empty) {
    const answer = await app.json(path, { method, body: { x: 1 }, key: app.keys.admin })
    const fields = [{ path: 'x', message: 'is not a known field. Send {}' }]
    expect([path, answer]).toMatchObject([path, { status: 400, body: { error: 'validation_error', fields } }])
  }
})

test('the empty object that adds a model may not have a field', async () => {
  const answer = await app.json('/api/models/all-minilm-l6-v2', { method: 'POST', body: { confirm: 'x' }, key: app.keys.admin })
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^Send \{\} as application\/json/) } })
})

test('an unknown setting is rejected with a similar one', async () => {
  const answer = await app.json('/api/settings', { method: 'PATCH', body: { 'llm.modle': 'x' }, key: app.keys.admin })
  expect(answer).toMatchObject({
    status: 400,
    body: { fields: [{ path: 'llm.modle', message: 'is not a setting; did you mean llm.model?' }] },
  })
})

test('nested objects are strict, too', async () => {
  const body = { libraryFilters: { quality: { minTrustscores: 3 } } }
  expect(await app.json('/api/v2/policies', { method: 'PATCH', body, key: app.keys.admin })).toMatchObject({
    status: 400,
    body: {
      message: 'libraryFilters.quality.minTrustscores is not a known field. Did you mean minTrustScore?',
      fields: [{ path: 'libraryFilters.quality.minTrustscores', message: 'is not a known field. Did you mean minTrustScore?' }],
    },
  })
})

test('a hostile name of a field is neither repeated in full nor with its control characters', async () => {
  const hostile = `{"repoUrl":"a/b","__proto__":{},"a\\u0000\\u202e":1,"${'x'.repeat(500_000)}":1}`
  const answer = await app.json('/api/parse', { method: 'POST', body: hostile, key: app.keys.admin })
  expect(answer.status).toBe(400)
  expect(JSON.stringify(answer.body).length).toBeLessThan(3_000)
  expect(JSON.stringify(answer.body)).not.toMatch(/u0000|\u202e/)
})
