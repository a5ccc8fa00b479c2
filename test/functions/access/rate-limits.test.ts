import { expect, test } from 'vitest'
import type { Caller } from '../../../functions/access/caller.ts'
import { rateLimits } from '../../../functions/access/rate-limits.ts'
import type { RequestCounts } from '../../../functions/access/request-counts.ts'
import type { Plan } from '../../../functions/access/teamspaces.ts'
import { dynamoRequestCounts } from '../../../functions/dynamo/dynamo-request-counts.ts'
import { toHttp } from '../../../shared/http/to-http.ts'
import { defaultRequestLimits } from '../../../shared/settings/request-limits.ts'
import { testDynamo } from '../../fixtures/dynamo.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'

const anonymous: Caller = { kind: 'anonymous' }
const key = (keyId: string, teamspace = 'acme'): Caller => ({
  kind: 'teamspace',
  teamspace,
  keyId,
  role: 'owner',
  scope: 'admin',
})
const address = '203.0.113.9'
const noon = Date.parse('2030-06-01T12:00:10.000Z')

/** Counts in memory. `writes` has the subject and window of each write. */
function countsInMemory() {
  const counts = new Map<string, number>()
  const writes: string[] = []
  const add: RequestCounts['add'] = async ({ subject, window }, requests) => {
    const id = `${subject} ${window}`
    writes.push(id)
    counts.set(id, (counts.get(id) ?? 0) + requests)
    return counts.get(id) ?? 0
  }
  const count: RequestCounts['count'] = async ({ subject, window }) => counts.get(`${subject} ${window}`) ?? 0
  return { add, count, writes }
}

function opened({ plan = 'free', counts = countsInMemory() }: { plan?: Plan; counts?: RequestCounts } = {}) {
  const clock = { ms: noon }
  const log = recordedLog()
  const limits = rateLimits({
    limits: defaultRequestLimits,
    counts,
    teamspaces: { get: async (id) => ({ id, name: id, plan, createdAt: '' }) },
    salts: { saltOf: async (day) => Buffer.from(day) },
    log,
    now: () => new Date(clock.ms),
  })
  return { limits, clock, log }
}

async function passed(times: number, ask: () => Promise<unknown>): Promise<number> {
  let count = 0
  for (let n = 0; n < times; n++)
    count += await ask().then(
      () => 1,
      () => 0,
    )
  return count
}

test('an address without a key may send 60 requests a minute, and again in the next minute', async () => {
  const { limits, clock } = opened()
  const ask = () => limits.request(anonymous, address)
  expect(await passed(100, ask)).toBe(60)
  clock.ms += 60_000
  expect(await passed(100, ask)).toBe(60)
})

test('an exceeded limit is a 429 with the headers of the contract, which end with the window', async () => {
  const { limits } = opened()
  await passed(60, () => limits.request(anonymous, address))
  const { status, body, headers } = toHttp(await limits.request(anonymous, address).catch((error: unknown) => error))
  expect([status, body.error]).toEqual([429, 'rate_limit_exceeded'])
  expect(body.message).toBe(
    'An address without a key may send 60 requests a minute. Try again in 50 seconds. The key of a teamspace has higher limits.',
  )
  expect(headers).toMatchObject({ 'retry-after': '50', 'ratelimit-limit': '60', 'ratelimit-remaining': '0' })
  expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000)
})

test('each address has its own limit; the addresses of one IPv6 network share theirs', async () => {
  const { limits } = opened()
  let host = 0
  expect(await passed(100, () => limits.request(anonymous, `2001:db8:1:2::${(host++).toString(16)}`))).toBe(60)
  expect(await passed(1, () => limits.request(anonymous, '2001:db8:2:2::1'))).toBe(1)
  expect(await passed(1, () => limits.request(anonymous, address))).toBe(1)
})

test('the store has no address', async () => {
  const counts = countsInMemory()
  await opened({ counts }).limits.request(anonymous, address)
  expect(counts.writes.join()).not.toContain(address)
  expect(counts.writes).toEqual([expect.stringMatching(/^address:[\w-]{22} 2030-06-01T12:00$/)])
})

test.each([
  ['free', 300, 1_000],
  ['team', 3_000, 10_000],
  ['enterprise', 12_000, 12_000],
] as const)('a key of the plan %s may send %i requests a minute, and its teamspace %i a day', async (plan, minute, day) => {
  const { limits, clock } = opened({ plan })
  expect(await passed(12_000, () => limits.request(key('a'), address))).toBe(minute)
  const others = await passed(12_000, () => {
    clock.ms += 1_000
    return limits.request(key('b'), address)
  })
  expect(minute + others).toBe(plan === 'enterprise' ? 24_000 : day)
})

test('the requests of a key are not limited with those of its address, nor with those of another teamspace', async () => {
  const { limits } = opened()
  await passed(100, () => limits.request(anonymous, address))
  expect(await passed(100, () => limits.request(key('a'), address))).toBe(100)
  await passed(300, () => limits.request(key('a'), address))
  expect(await passed(1, () => limits.request(key('c', 'other'), address))).toBe(1)
})

test('a rejected request costs no write once its window is known to be full', async () => {
  const counts = countsInMemory()
  const { limits } = opened({ counts })
  await passed(10_000, () => limits.request(anonymous, address))
  expect(counts.writes).toHaveLength(61)
})

test('a request costs one write without a key, and two with one', async () => {
  const counts = countsInMemory()
  const { limits } = opened({ counts })
  await limits.request(anonymous, address)
  await limits.request(key('a'), address)
  expect(counts.writes).toEqual([expect.stringMatching(/^address:/), 'key:a 2030-06-01T12:00', 'team:acme 2030-06-01'])
})

test('a request passes if it cannot be counted; an add does not', async () => {
  const add = () => Promise.reject(new Error('throttled'))
  const { limits, log } = opened({ counts: { add, count: add } })
  await limits.request(anonymous, address)
  await limits.request(key('a'), address)
  expect(log.lines.map(({ message }) => message)).toEqual(Array(2).fill('a request was not counted for its limit'))
  let ran = false
  const work = async () => {
    ran = true
  }
  await expect(limits.add(key('a'), work)).rejects.toThrow('throttled')
  expect(ran).toBe(false)
})

test('a free teamspace may add or refresh five libraries a day; work that fails does not count', async () => {
  const { limits, clock } = opened()
  const failed = () => limits.add(key('a'), async () => Promise.reject(new Error('no such repository')))
  await passed(20, failed)
  const add = () => limits.add(key('a'), async () => 'queued')
  expect(await passed(9, add)).toBe(5)
  const error = toHttp(await add().catch((thrown: unknown) => thrown))
  expect([error.status, error.headers['ratelimit-limit'], error.headers['retry-after']]).toEqual([429, '5', '43190'])
  expect(error.body.message).toBe('A teamspace of the plan free may add or refresh 5 libraries a day. Try again in 12 hours.')
  clock.ms += 86_400_000
  expect(await passed(9, add)).toBe(5)
})

test('processes share the counts of a table, whose items expire after their window', async () => {
  const table = await testDynamo()
  const processes = [1, 2, 3].map(() => opened({ counts: dynamoRequestCounts(table) }).limits)
  let n = 0
  expect(await passed(90, () => (processes[n++ % 3] ?? processes[0])?.request(anonymous, address) ?? Promise.reject())).toBe(60)
  const { ScanCommand } = await import('@aws-sdk/lib-dynamodb')
  const { Items = [] } = await table.db.send(new ScanCommand({ TableName: table.name }))
  expect(Items).toEqual([
    {
      pk: expect.stringMatching(/^LIMIT#address:/),
      sk: '2030-06-01T12:00',
      count: 63,
      expiresAt: Date.parse('2030-06-01T13:01:00Z') / 1000,
    },
  ])
})
