import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../fixtures/test-app.ts'
import { routes } from '../routes.ts'

type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: object
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
  security?: object[]
}
type Document = {
  openapi: string
  info: { version: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> }
}

let app: TestApp
let document: Document
let operations: { name: string; path: string; operation: Operation }[]

beforeAll(async () => {
  app = await testApp()
  document = (await (await app.ask('/api/openapi.json')).json()) as Document
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} /api${path}`, path, operation })),
  )
})
afterAll(() => app.close())

test('it is version 2.0.0 of the API in OpenAPI 3.1, relative to /api', () => {
  expect({ openapi: document.openapi, version: document.info.version, servers: document.servers }).toEqual({
    openapi: '3.1.0',
    version: '2.0.0',
    servers: [{ url: '/api' }],
  })
})

test('the six tags of the public API come first, in its order', () => {
  const names = document.tags.map(({ name }) => name)
  expect(names.slice(0, 6)).toEqual(['Search', 'Context', 'Refresh', 'Policies', 'Add Library', 'Metrics'])
})

test('operations that the public API has too bear its ids', () => {
  const ids = ['/v2/libs/search', '/v2/context'].map((path) => document.paths[path]?.get?.operationId)
  expect([...ids, document.paths['/parse']?.post?.operationId, document.paths['/parse-status']?.get?.operationId]).toEqual([
    'searchLibraries',
    'getContext',
    'parseRepo',
    'getParseStatus',
  ])
})

test('every route below /api has an operation, and every operation a route', () => {
  const served = routes.map(({ route }) => route).filter((route) => route.includes(' /api/'))
  expect(operations.map(({ name }) => name).sort()).toEqual(served.sort())
})

test('every operation is described, tagged with a listed tag and has an id of its own', () => {
  const tags = document.tags.map(({ name }) => name)
  const poor = operations.filter(
    ({ operation }) =>
      !operation.summary || !operation.description || operation.tags.length !== 1 || !tags.includes(operation.tags[0] ?? ''),
  )
  expect(poor).toEqual([])
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
})

test('every parameter of a path is declared, and every answer that is promised has a schema', () => {
  for (const { path, operation } of operations) {
    const asked = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = (operation.parameters ?? []).filter((each) => each.in === 'path' && each.required).map(({ name }) => name)
    expect(declared).toEqual(asked)
    for (const response of Object.values(operation.responses)) {
      expect(response.description).not.toBe('')
      expect(Object.values(response.content ?? {}).map(({ schema }) => typeof schema)).not.toContain('undefined')
    }
  }
})

test('every reference leads to a component', () => {
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name)
  expect([...new Set(references)].sort()).toEqual(Object.keys(document.components.schemas).sort())
})

test('an operation says whether it can be called without a key', () => {
  const security = (route: string) => operations.find(({ name }) => name === route)?.operation.security
  expect(security('GET /api/jobs')).toEqual([{ apiKey: [] }])
  expect(security('GET /api/health')).toEqual([])
  expect(document).toMatchObject({ security: [{}, { apiKey: [] }] })
})

test('numbers of a query are declared as integers with their bounds', () => {
  const tokens = document.paths['/v2/context']?.get?.parameters?.find(({ name }) => name === 'tokens')
  expect(tokens).toMatchObject({ in: 'query', schema: { type: 'integer', minimum: 500, maximum: 50_000, default: 5000 } })
  expect(tokens?.required ?? false).toBe(false)
})
