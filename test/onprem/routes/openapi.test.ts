import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer } from '../../../onprem/server.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { type Route, routes } from '../routes.ts'

type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: object
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
  security?: object[]
  /** For a route outside /api. */
  servers?: object[]
}
type Document = {
  openapi: string
  info: { version: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; securitySchemes: Record<string, { in?: string; name?: string }> }
}

let app: TestInstall
let document: Document
let operations: { name: string; path: string; operation: Operation }[]

beforeAll(async () => {
  app = await testInstall()
  document = (await (await app.ask('/api/openapi.json')).json()) as Document
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${operation.servers ? '' : '/api'}${path}`,
      path,
      operation,
    })),
  )
})
afterAll(() => app.close())

test('the document describes version 2.0.0 of the API in OpenAPI 3.1, relative to /api', () => {
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

test('operations of the public API have its operation ids', () => {
  const ids = ['/v2/libs/search', '/v2/context'].map((path) => document.paths[path]?.get?.operationId)
  expect([...ids, document.paths['/parse']?.post?.operationId, document.paths['/parse-status']?.get?.operationId]).toEqual([
    'searchLibraries',
    'getContext',
    'parseRepo',
    'getParseStatus',
  ])
})

const ownFormat = /^\/(metrics$|mcp\/oauth\/|\.well-known\/)/
const listed = routes.filter(({ route }) => route.includes(' /api/') || route.includes(' /scim/'))

test('every route of the server is in the access table and in the document', () => {
  // /mcp, its routes of OAuth and /metrics have formats of their own.
  const all = createServer(app.app, async () => true).routes
  const registered = all.filter(({ method, path }) => method !== 'ALL' && !ownFormat.test(path))
  const names = new Set(registered.map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`))
  const expected = listed.map(({ route }) => route).sort()
  expect([...names].sort()).toEqual(expected)
  expect(operations.map(({ name }) => name).sort()).toEqual(expected)
})

test('the document marks the routes that require a key: those that the access table never opens', () => {
  const schemes = Object.keys(document.components.securitySchemes).map((name) => ({ [name]: [] }))
  const security = ({ access, switched }: Route) => (switched ? undefined : access === 'everyone' ? [] : schemes)
  const expected = Object.fromEntries(listed.map((each) => [each.route, security(each)]))
  expect(Object.fromEntries(operations.map(({ name, operation }) => [name, operation.security]))).toEqual(expected)
})

test('every operation has a description, one listed tag and a unique id', () => {
  const tags = document.tags.map(({ name }) => name)
  const poor = operations.filter(
    ({ operation }) =>
      !operation.summary || !operation.description || operation.tags.length !== 1 || !tags.includes(operation.tags[0] ?? ''),
  )
  expect(poor).toEqual([])
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
})

test('every path parameter is declared, and every response has a schema', () => {
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

test('a key is optional unless an operation requires it', () => {
  const schemes = Object.keys(document.components.securitySchemes).map((name) => ({ [name]: [] }))
  expect(document).toMatchObject({ security: [{}, ...schemes] })
})

test('every declared security scheme works', async () => {
  const cookie = await signIn(app, { username: 'admin', password: 'admin' })
  const statuses: Record<string, number> = {}
  for (const [scheme, { in: place, name = '' }] of Object.entries(document.components.securitySchemes)) {
    const headers = place === 'cookie' ? { cookie } : place === 'header' ? { [name]: app.keys.member } : undefined
    const sent = headers ?? { authorization: `Bearer ${app.keys.member}` }
    if (place === 'cookie') expect(cookie).toContain(`${name}=`)
    statuses[scheme] = (await app.ask('/api/keys', { headers: sent })).status
  }
  const headers = ['x-carrel-api-key', 'x-context7-api-key', 'context7-api-key', 'x-api-key', 'context7_api_key', 'x_api_key']
  const byHeader = Object.fromEntries(headers.map((name) => [name, 200]))
  // The initial password must be changed first; only a caller with a valid session gets this error.
  expect(statuses).toEqual({ bearer: 200, ...byHeader, session: 403 })
})

test('an id of a library is declared with its pattern', () => {
  const id = document.paths['/v2/context']?.get?.parameters?.find(({ name }) => name === 'libraryId')
  const { pattern = '' } = (id?.schema ?? {}) as { pattern?: string }
  expect(['/acme/docs', '/acme/docs@v1', '/acme/docs/v1', 'acme/docs'].map((each) => new RegExp(pattern).test(each))).toEqual([
    true,
    true,
    true,
    false,
  ])
})

test('numbers of a query are declared as integers with their bounds', () => {
  const tokens = document.paths['/v2/context']?.get?.parameters?.find(({ name }) => name === 'tokens')
  expect(tokens).toMatchObject({ in: 'query', schema: { type: 'integer', minimum: 500, maximum: 50_000, default: 5000 } })
  expect(tokens?.required ?? false).toBe(false)
})
