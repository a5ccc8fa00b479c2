import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TeamspaceCaller } from '../../../functions/access/caller.ts'
import { dynamoTeamspaces } from '../../../functions/dynamo/accounts/dynamo-teamspaces.ts'
import { dynamoCatalog } from '../../../functions/dynamo/catalog/dynamo-catalog.ts'
import { dynamoCounters } from '../../../functions/dynamo/counters/dynamo-counters.ts'
import { libraryUsage, type TeamUsagePorts, teamUsage } from '../../../functions/queries/team-usage.ts'
import { libraryKey } from '../../../shared/library.ts'
import { usageCsv } from '../../../shared/usage/usage-csv.ts'
import type { UsageEvent } from '../../../shared/usage/usage-event.ts'
import { openTestDynamo } from '../../fixtures/dynamo.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { usageEvent } from '../../fixtures/usage.ts'

const today = new Date('2030-03-20T12:00:00Z')
const lever = { owner: 'acme', repo: 'lever' }
const gate = { owner: 'acme', repo: 'gate' }
const foreign = { owner: 'else', repo: 'where' }

/** A user as events name one. */
const userOf = (name: string) => createHash('sha256').update(name).digest('base64url')

let table: Awaited<ReturnType<typeof openTestDynamo>>
let ports: TeamUsagePorts
let caller: TeamspaceCaller

beforeAll(async () => {
  table = await openTestDynamo()
  const clock = { at: new Date('2030-01-10T00:00:00Z') }
  const now = () => clock.at
  const teamspaces = dynamoTeamspaces({ table, now })
  const catalog = dynamoCatalog({ table, now })
  const counters = dynamoCounters({ table, log: silentLog, now })
  const { id: teamspace } = await teamspaces.create('Acme', 'team')
  caller = { kind: 'teamspace', teamspace, keyId: '', role: 'developer', scope: 'admin' }
  for (const id of [lever, gate, foreign]) {
    await teamspaces.own(teamspace, libraryKey(id), 'added')
    const owner = id === foreign ? {} : { teamspace }
    await catalog.add({ id, sourceUrl: `https://github.com/${id.owner}/${id.repo}`, private: false, ...owner })
    clock.at = new Date('2030-03-01T00:00:00Z')
  }
  clock.at = today
  let sequence = 0
  const count = (id: typeof lever, day: string, event: Partial<UsageEvent>) =>
    counters.add(libraryKey(id), 'shard', [
      { sequence: String(++sequence), event: usageEvent({ library: libraryKey(id), at: `${day}T10:00:00.000Z`, ...event }) },
    ])
  await count(lever, '2030-03-20', { country: 'NO', topics: ['turning'] })
  await count(lever, '2030-03-19', { surface: 'mcp', client: 'cursor', user: userOf('ann'), topics: ['turning'] })
  await count(lever, '2030-03-12', { surface: 'cli', country: 'NO' })
  await count(lever, '2030-02-01', { surface: 'page' })
  await count(gate, '2030-03-19', { surface: 'mcp', client: 'cursor', user: userOf('ann'), country: 'DE', topics: ['opening'] })
  await count(gate, '2030-03-19', { surface: 'mcp', client: 'codex', user: userOf('bob'), topics: ['turning'] })
  await count(foreign, '2030-03-19', { country: 'FR', topics: ['secret'] })
  ports = { catalog, counters, teamspaces, now }
})
afterAll(() => table.close())

test('the usage of a library has the period and the one before it, and the first known day', async () => {
  const usage = await libraryUsage(ports, caller, { id: lever, days: 7 })
  expect(usage).toMatchObject({
    libraryId: '/acme/lever',
    from: '2030-03-14',
    to: '2030-03-20',
    since: '2030-01-10',
    period: { page: 0, txt: 1, mcp: 1, cli: 0, total: 2, libraries: 1 },
    previous: { cli: 1, total: 1 },
    total: { page: 1, txt: 1, mcp: 1, cli: 1 },
    libraries: [],
  })
  expect(usage.daily.map(({ date, total }) => `${date} ${total}`)).toEqual([
    '2030-03-14 0',
    '2030-03-15 0',
    '2030-03-16 0',
    '2030-03-17 0',
    '2030-03-18 0',
    '2030-03-19 1',
    '2030-03-20 1',
  ])
})

test('the period before is absent if the library is younger', async () => {
  expect((await libraryUsage(ports, caller, { id: gate, days: 30 })).previous).toBeNull()
  expect((await libraryUsage(ports, caller, { id: lever, days: 90 })).previous).toBeNull()
  expect((await libraryUsage(ports, caller, { id: lever, days: 30 })).previous).toMatchObject({ total: 1 })
})

test('the usage of a teamspace sums what it owns by day, client, topic and country, and leaves out other libraries', async () => {
  const usage = await teamUsage(ports, caller, 7)
  expect(usage).toMatchObject({
    libraryId: null,
    since: '2030-01-10',
    period: { txt: 1, mcp: 3, total: 4, libraries: 2 },
    previous: { cli: 1, libraries: 1 },
    total: { page: 1, txt: 1, mcp: 3, cli: 1 },
    countries: [
      { country: 'NO', count: 2 },
      { country: 'DE', count: 1 },
    ],
    libraries: [
      { libraryId: '/acme/gate', mcp: 2, total: 2 },
      { libraryId: '/acme/lever', txt: 1, mcp: 1, total: 2 },
    ],
  })
  expect(usage.topics[0]).toEqual({ topic: 'turning', count: 3 })
  expect(usage.mcpClients.dailyData).toEqual([
    { date: '2030-03-19', uniqueUsersByClient: { codex: 1, cursor: 2 }, totalUniqueUsers: 3 },
  ])
  expect(JSON.stringify(usage)).not.toMatch(/where|FR|secret/)
  expect(usageCsv(usage)).toContain('library,,/acme/gate,2,0,0,0,2\r\n')
})

test('the usage of a library of others is denied', async () => {
  await expect(libraryUsage(ports, caller, { id: foreign, days: 7 })).rejects.toMatchObject({ code: 'access_denied' })
})
