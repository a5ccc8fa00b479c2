import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'

type Operation = {
  operationId: string
  tags?: string[]
  servers?: { url: string }[]
  security?: Record<string, []>[]
  parameters?: { in: string; name: string }[]
  responses: Record<string, unknown>
}
type Document = {
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: Record<string, object> }
}

let dashboard: TestDashboard
let operations: (Operation & { name: string })[]
let document: Document

beforeAll(async () => {
  dashboard = await testDashboard()
  document = (await (await dashboard.nobody.send('GET', '/api/openapi.json')).json()) as Document
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const root = operation.servers?.[0]?.url ?? '/api/'
      return { name: `${method.toUpperCase()} ${root.slice(0, -1)}${path}`, ...operation }
    }),
  )
})
afterAll(() => dashboard.close())

test('every route of the dashboard is an operation, and every operation is a route', () => {
  const routes = dashboard.routes
    .filter(({ method, path }) => method !== 'ALL' && /^\/(api|auth)\//.test(path))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`)
  expect(routes).not.toEqual([])
  expect(operations.map(({ name }) => name).sort()).toEqual([...new Set(routes)].sort())
})

test('each operation has a name of its own, a tag that the document lists, and all parameters of its path', () => {
  const names = operations.map(({ operationId }) => operationId)
  expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([])
  const tags = document.tags.map(({ name }) => name)
  expect(new Set(operations.flatMap((operation) => operation.tags ?? []))).toEqual(new Set(tags))
  for (const { name, parameters = [] } of operations)
    expect(parameters.flatMap((each) => (each.in === 'path' ? [`{${each.name}}`] : [])).sort(), name).toEqual(
      [...(name.match(/\{\w+\}/g) ?? [])].sort(),
    )
})

test('a session is the only credential, and only operations behind a guard need it', () => {
  expect(document.components.securitySchemes).toMatchObject({ session: { type: 'apiKey', in: 'cookie', name: 'carrel-session' } })
  expect(Object.keys(document.components.securitySchemes)).toEqual(['session'])
  const open = operations.filter(({ security }) => security?.length === 0).map(({ operationId }) => operationId)
  expect(open.sort()).toEqual(['finishSignIn', 'getOpenApi', 'signIn', 'signOut'])
  const guarded = operations.filter(({ operationId }) => !open.includes(operationId))
  expect(guarded.filter(({ security, responses }) => !security || !('401' in responses))).toEqual([])
})
