import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Hosted } from '../../../functions/hosted.ts'
import type { People, Person } from '../../fixtures/test-dashboard.ts'
import { rows as otherRows, type Row } from './access-table.ts'
import { governanceRows } from './governance-rows.ts'
import { memberRows } from './member-rows.ts'

export const rows: Row[] = [...otherRows, ...memberRows, ...governanceRows]

const roles = ['developer', 'admin', 'owner'] as const
const callers = ['nobody', 'stranger', ...roles] as const
type Caller = (typeof callers)[number]
const writes = rows.filter(({ route }) => !route.startsWith('GET '))
const ofTeamspaces = rows.filter(({ path }) => path.includes('{team}'))

/** A dashboard that browsers show as `url`, and its people. */
export type TableDashboard = { url: string; people: People; hosted: Pick<Hosted, 'sessions'> }

/** The status, and the code of the error if it is one. */
export async function answerOf(response: Response): Promise<string> {
  const text = await response.text()
  const code = /"error":"(\w+)"/.exec(text)?.[1]
  return [response.status, response.ok || code === undefined ? [] : code].flat().join(' ')
}

export const sendRow = (
  person: Omit<Person, 'user'>,
  { route, path, body }: Row,
  team: string,
  headers: Record<string, string> = {},
) => person.send(route.split(' ')[0] ?? '', path.replace('{team}', team), body, headers)

/** The status of an allowed request, and what is wrong with its body or ids. */
const allowed = ({ answer }: Row) => expect.stringMatching(new RegExp(`^${answer}( (?!team_not_found)\\w+)?$`))

function expectedFor(row: Row, caller: Caller) {
  const { access } = row
  if (access === 'everybody') return allowed(row)
  if (caller === 'nobody') return '401 invalid_api_key'
  if (access === 'signed in') return allowed(row)
  if (caller === 'stranger') return '404 team_not_found'
  return roles.indexOf(caller) >= roles.indexOf(access) ? allowed(row) : '403 forbidden'
}

/** Every row of the table, sent to the dashboard that `opened` returns once tests run. */
export function accessTableTests(name: string, opened: () => TableDashboard): void {
  describe(name, () => {
    /** The teamspace of the members, and one that nobody here can see. */
    let ids: { own: string; foreign: string }
    beforeAll(async () => {
      const { people } = opened()
      const own = await people.teamspace('Acme', { developer: 'developer', admin: 'admin', owner: 'owner' })
      const foreign = await people.teamspace('Vault', { keeper: 'owner' })
      ids = { own: own.id, foreign: foreign.id }
    })

    const asCaller = (caller: Caller) => (caller === 'nobody' ? opened().people.nobody : opened().people.signIn(caller))

    test.each(rows)('the route $route admits the callers that the table defines', async (row) => {
      for (const caller of callers) {
        const response = await sendRow(await asCaller(caller), row, ids.own)
        expect(response.headers.get('cache-control'), caller).toBe('private, no-store')
        expect(response.headers.get('access-control-allow-origin'), caller).toBeNull()
        expect(await answerOf(response), caller).toEqual(expectedFor(row, caller))
      }
    })

    test.each(rows)('the route $route treats a session that has ended like none', async (row) => {
      const person = await opened().people.signIn('owner')
      await opened().hosted.sessions.endAll(person.user.id)
      expect(await answerOf(await sendRow(person, row, ids.own))).toEqual(expectedFor(row, 'nobody'))
    })

    test.each(ofTeamspaces)(
      'the route $route answers a foreign teamspace exactly like a missing or malformed id',
      async (row) => {
        const owner = await opened().people.signIn('owner')
        const bodies = await Promise.all(
          [ids.foreign, randomUUID(), ids.foreign.toUpperCase(), 'acme', 'x'.repeat(2_000)].map(async (id) => {
            const response = await sendRow(owner, row, id)
            return [response.status, (await response.text()).replaceAll(id.slice(0, 100), '…')]
          }),
        )
        expect(bodies[0]).toEqual([404, expect.stringContaining('team_not_found')])
        expect(new Set(bodies.map(String)).size).toBe(1)
      },
    )

    test.each(writes)('the route $route rejects a page of another origin, and a request without one', async (row) => {
      const owner = await opened().people.signIn('owner')
      for (const origin of ['https://evil.example.com', 'null', `${opened().url}.evil.example.com`, '']) {
        expect(await answerOf(await sendRow(owner, row, ids.own, { origin })), origin).toBe('403 forbidden')
      }
    })
  })
}
