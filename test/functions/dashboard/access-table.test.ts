import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routeDocs } from '../../../shared/http/route-docs.ts'
import { type Person, type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { rows as otherRows, type Row } from './access-table.ts'
import { governanceRows } from './governance-rows.ts'
import { memberRows } from './member-rows.ts'

const rows: Row[] = [...otherRows, ...memberRows, ...governanceRows]

const roles = ['developer', 'admin', 'owner'] as const
const writes = rows.filter(({ route }) => !route.startsWith('GET '))
const ofTeamspaces = rows.filter(({ path }) => path.includes('{team}'))

let dashboard: TestDashboard
/** The teamspace of the members, and one that nobody here can see. */
let ids: { own: string; foreign: string }

beforeAll(async () => {
  dashboard = await testDashboard()
  const own = await dashboard.teamspace('Acme', { developer: 'developer', admin: 'admin', owner: 'owner' })
  const foreign = await dashboard.teamspace('Vault', { keeper: 'owner' })
  ids = { own: own.id, foreign: foreign.id }
})
afterAll(() => dashboard.close())

const methodOf = ({ route }: Row) => route.split(' ')[0] ?? ''

const send = (person: Omit<Person, 'user'>, row: Row, team: string, headers: Record<string, string> = {}) =>
  person.send(methodOf(row), row.path.replace('{team}', team), row.body, headers)

/** The status and the code of the error, if it is one. */
async function answerOf(response: Response): Promise<string> {
  const text = await response.text()
  const code = /"error":"(\w+)"/.exec(text)?.[1]
  return [response.status, response.ok || code === undefined ? [] : code].flat().join(' ')
}

/** The status of an allowed request, and what is wrong with its body or ids. */
const allowed = ({ answer }: Row) => expect.stringMatching(new RegExp(`^${answer}( (?!team_not_found)\\w+)?$`))

function expectedFor(row: Row, caller: 'nobody' | 'stranger' | (typeof roles)[number]) {
  const { access } = row
  if (access === 'everybody') return allowed(row)
  if (caller === 'nobody') return '401 invalid_api_key'
  if (access === 'signed in') return allowed(row)
  if (caller === 'stranger') return '404 team_not_found'
  return roles.indexOf(caller) >= roles.indexOf(access) ? allowed(row) : '403 forbidden'
}

test.each(rows)('the route $route admits the callers that the table defines', async (row) => {
  for (const caller of ['nobody', 'stranger', ...roles] as const) {
    const person = caller === 'nobody' ? dashboard.nobody : await dashboard.signIn(caller)
    const response = await send(person, row, ids.own)
    expect(response.headers.get('cache-control'), caller).toBe('private, no-store')
    expect(response.headers.get('access-control-allow-origin'), caller).toBeNull()
    expect(await answerOf(response), caller).toEqual(expectedFor(row, caller))
  }
})

test.each(rows)('the route $route treats a session that has ended like none', async (row) => {
  const person = await dashboard.signIn('owner')
  await dashboard.hosted.hosted.sessions.endAll(person.user.id)
  expect(await answerOf(await send(person, row, ids.own))).toEqual(expectedFor(row, 'nobody'))
})

test.each(ofTeamspaces)('the route $route answers a foreign teamspace exactly like a missing or malformed id', async (row) => {
  const owner = await dashboard.signIn('owner')
  const bodies = await Promise.all(
    [ids.foreign, randomUUID(), ids.foreign.toUpperCase(), 'acme', 'x'.repeat(2_000)].map(async (id) => {
      const response = await send(owner, row, id)
      return [response.status, (await response.text()).replaceAll(id.slice(0, 100), '…')]
    }),
  )
  expect(bodies[0]).toEqual([404, expect.stringContaining('team_not_found')])
  expect(new Set(bodies.map(String)).size).toBe(1)
})

test.each(writes)('the route $route rejects a page of another origin, and a request without one', async (row) => {
  const owner = await dashboard.signIn('owner')
  for (const origin of ['https://evil.example.com', 'null', `${dashboard.url}.evil.example.com`, '']) {
    expect(await answerOf(await send(owner, row, ids.own, { origin })), origin).toBe('403 forbidden')
  }
})

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
