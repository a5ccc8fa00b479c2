import { afterAll, beforeAll, expect, test } from 'vitest'
import { routeDocs } from '../../../shared/http/route-docs.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { accessTableTests, rows } from './access-table-tests.ts'

let dashboard: TestDashboard

beforeAll(async () => {
  dashboard = await testDashboard()
})
afterAll(() => dashboard.close())

accessTableTests('the dashboard', () => ({ url: dashboard.url, people: dashboard, hosted: dashboard.hosted.hosted }))

test('the table has every route of the dashboard', () => {
  const routes = dashboard.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`)
  expect(routes).not.toEqual([])
  expect([...new Set(routes)].sort()).toEqual(rows.map(({ route }) => route).sort())
})

test('each route begins with the guard that the table names', () => {
  const firstOf = (route: string) => dashboard.routes.find(({ method, path }) => `${method} ${path}` === route)
  const guards = rows.map(({ route }) => [route, routeDocs(firstOf(route)?.handler ?? {}).access?.caller ?? 'everybody'])
  expect(guards).toEqual(rows.map(({ route, access }) => [route, access]))
})
