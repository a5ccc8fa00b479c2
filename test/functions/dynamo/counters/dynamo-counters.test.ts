import { GetCommand, PutCommand, type QueryCommandOutput, type UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, test } from 'vitest'
import { dynamoCounters } from '../../../../functions/dynamo/counters/dynamo-counters.ts'
import type { Table } from '../../../../functions/dynamo/table.ts'
import type { Log } from '../../../../shared/log.ts'
import { applyUsage } from '../../../../shared/usage/apply-usage.ts'
import type { PlacedEvent } from '../../../../shared/usage/counters.ts'
import { readMetrics } from '../../../../shared/usage/read-metrics.ts'
import type { UsageEvent } from '../../../../shared/usage/usage-event.ts'
import { failingLog, mcpEvent, placed, times, usageEvent } from '../../../contracts/counters-events.ts'
import { testDynamo } from '../../../fixtures/dynamo.ts'
import { awsError, faultyTable, isWrite } from '../faulty-table.ts'

const id = '/honojs/website'
const shard = 'shardId-000000000000'
const now = () => new Date('2026-11-21T13:00:00.000Z')
const [from, to] = ['2026-11-01', '2026-12-31']

const countersOver = (table: Table, log: Log = failingLog) => dynamoCounters({ table, log, now })
const itemOf = async ({ db, name }: Table, sk: string) =>
  (await db.send(new GetCommand({ TableName: name, Key: { pk: `LIB#${id}`, sk } }))).Item ?? {}
const shardNumber = (n: number) => `shardId-${String(n).padStart(12, '0')}`
const recordsOf = (events: PlacedEvent[]) =>
  events.map(({ sequence, event }) => ({ sequence, data: Buffer.from(JSON.stringify(event)) }))

function listeningLog() {
  const lines: [message: string, fields: Record<string, unknown>][] = []
  const note = (fields: Record<string, unknown>, message: string) => void lines.push([message, fields])
  return { lines, info: note, warn: note, error: note }
}

/** Capacity units as DynamoDB counts them, of all commands. */
function metered(table: Table) {
  const meter = { table, units: 0, calls: 0 }
  const send = async (command: { input: object }) => {
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' })
    const answer = (await table.db.send(command as UpdateCommand)) as unknown as QueryCommandOutput
    meter.calls++
    for (const { CapacityUnits = 0 } of [answer.ConsumedCapacity ?? []].flat()) meter.units += CapacityUnits
    return answer
  }
  meter.table = { ...table, db: new Proxy(table.db, { get: (db, key) => (key === 'send' ? send : Reflect.get(db, key)) }) }
  return meter
}

describe('the cost of counting', () => {
  test('is at most 12 writes per library for 50 events from 3 clients, without reads of topics from the second batch on', async () => {
    const table = faultyTable(await testDynamo(), () => undefined)
    const ports = { counters: countersOver(table), log: failingLog, now }
    const make = (n: number): UsageEvent =>
      mcpEvent(n % 300, ['cursor', 'codex', 'zed'][n % 3], {
        library: `/owner/library-${n % 40}`,
        topics: times(3, (k) => `topic ${(n + k * 7) % 31}`),
        country: ['DE', 'FR', 'US'][n % 3],
      })
    const events = placed(times(2_000, make))
    expect(await applyUsage(ports, { shard, records: recordsOf(events) })).toEqual({ counted: 2_000, skipped: 0 })
    expect(table.commands.filter(isWrite).length / 40).toBeLessThanOrEqual(12)

    table.commands.length = 0
    await applyUsage(ports, { shard, records: recordsOf(placed(times(400, make), 2_000)) })
    expect(table.commands.filter((command) => command === 'Get')).toEqual([])
    expect(table.commands.filter(isWrite).length / 40).toBeLessThanOrEqual(7)
  })

  test('stays under 200 write units per second for a hot library with 10,000 events/s over 16 shards', async () => {
    const meter = metered(await testDynamo())
    const counters = countersOver(meter.table)
    const hot = (n: number) =>
      mcpEvent(n % 4_000, ['cursor', 'codex', 'zed'][n % 3], {
        topics: times(3, (k) => `a topic of a usual length ${(n * 3 + k) % 1_000}`),
        country: `${'ABCDEFGHIJK'[n % 11]}${'ABCDEFGHIJKLMNOPQRST'[n % 20]}`,
      })
    for (let n = 0; n < 16; n++) await counters.add(id, shardNumber(n), placed(times(n === 0 ? 4_000 : 40, hot)))
    meter.units = 0
    const fresh = (n: number) => ({ ...hot(n), ...(n % 10 === 0 ? mcpEvent(`new ${n}`, 'cursor') : {}), topics: hot(n).topics })
    await counters.add(id, shardNumber(3), placed(times(3_125, fresh), 4_000))
    const batchesPerSecond = 16 / 5
    expect(meter.units * batchesPerSecond).toBeLessThan(200)
  })

  test('is 3 calls, 80 read units and 300 kB for a year of metrics with 20 clients on 16 shards per day and 1,000 topics', async () => {
    const table = await testDynamo()
    const clients = times(20, (n) => `mcp-client-${n}`)
    const checkpoints = Object.fromEntries(times(16, (n) => [`s:${n}`, `${'4'.repeat(37)}.g17`]))
    const users = Object.fromEntries(clients.map((client) => [`users#${client}`, 1_234]))
    const put = (sk: string, fields: object) =>
      table.db.send(new PutCommand({ TableName: table.name, Item: { pk: `LIB#${id}`, sk, ...fields, ...checkpoints } }))
    const day = { page: 1_234, txt: 123_456, mcp: 1_234_567, cli: 12_345, users: 12_345, ...users }
    const dayOf = (n: number) => new Date(Date.parse('2025-11-01') + n * 86_400_000).toISOString().slice(0, 10)
    await Promise.all(times(400, (n) => put(`DAY#${dayOf(n)}`, day)))
    for (let n = 0; n < 4; n++) {
      const topics = times(250, (k): [string, number] => [`t:a topic of a usual length ${n}-${k}`, 12_345])
      await put(`TOPICS#${n}`, { ...Object.fromEntries(topics), size: 250 })
    }
    await put('TOTAL', day)
    await put('COUNTRIES', Object.fromEntries(times(250, (n) => [String.fromCharCode(65 + n / 26, 65 + (n % 26)), 12_345])))

    const meter = metered(table)
    const metrics = await readMetrics({ counters: countersOver(meter.table), now }, id, 365)
    expect(metrics).toMatchObject({ daily: { length: 365 }, topics: { length: 1_000 }, countries: { length: 250 } })
    expect(metrics.daily.at(-1)?.date).toBe('2026-11-21')
    expect(meter.calls).toBe(3)
    expect(meter.units).toBeLessThanOrEqual(80)
    expect(JSON.stringify(metrics).length).toBeLessThanOrEqual(300_000)
  })

  test('is about 1.5 kB of storage for a day with 16 shards and 20 clients, and 4.2 kB for a sketch for 35 days', async () => {
    const table = await testDynamo()
    const counters = countersOver(table)
    for (let n = 0; n < 16; n++)
      await counters.add(id, shardNumber(n), placed(times(40, (k) => mcpEvent(n * 40 + k, `mcp-client-${k % 20}`))))
    expect(attributeBytes(await itemOf(table, 'DAY#2026-11-21'))).toBeLessThanOrEqual(1_600)
    const sketch = await itemOf(table, 'SKETCH#2026-11-21')
    expect(attributeBytes(sketch)).toBeLessThanOrEqual(4_200)
    expect(sketch.expiresAt).toBe(Date.parse('2026-12-26') / 1000)
  })
})

/** The size that DynamoDB counts, a number as nine bytes at most. */
const attributeBytes = (item: object): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + name.length + (typeof value === 'number' ? 9 : value.length), 0)

describe('the space of counters', () => {
  test('is limited to 1,000 topics per library, with the most frequent ones and a bounded error, from two shards at once', async () => {
    const table = await testDynamo()
    const topicsOf = (from: number) => times(700, (n) => usageEvent({ topics: times(3, (k) => `topic ${from + n * 3 + k}`) }))
    const both = [placed(topicsOf(0)), placed(topicsOf(1_000))]
    const lasting = both.map(() => countersOver(table))
    const add = (events: PlacedEvent[], n: number) => lasting[n]?.add(id, shardNumber(n), events)
    for (let start = 0; start < 700; start += 100)
      await Promise.all(both.map((events, n) => add(events.slice(start, start + 100), n)))
    await Promise.all(both.map((events, n) => countersOver(table).add(id, shardNumber(n), events)))
    await Promise.all(both.map((_, n) => add(placed(topicsOf(n * 1_000), 700), n)))
    const late = placed(
      times(200, () => usageEvent({ topics: ['frequent now'] })),
      1_400,
    )
    await Promise.all(both.map((_, n) => add(late, n)))

    const { topics } = await countersOver(table).read(id, from, to)
    expect(Object.keys(topics).length).toBe(1_000)
    const total = 2 * 2 * 700 * 3 + 400
    expect(Object.values(topics).reduce((sum, count) => sum + count, 0)).toBe(total)
    const asked = (topic: string, first: number) => {
      const number = Number(topic.slice('topic '.length))
      return number >= first && number < first + 2_100 ? 2 : 0
    }
    const bound = (total / 4 / 250) * 1.5
    for (const [topic, count] of Object.entries(topics)) {
      const truly = topic === 'frequent now' ? 400 : asked(topic, 0) + asked(topic, 1_000)
      expect(count).toBeGreaterThanOrEqual(truly)
      expect(count - truly).toBeLessThanOrEqual(bound)
    }
    for (let n = 0; n < 4; n++) expect((await itemOf(table, `TOPICS#${n}`)).size).toBe(250)
  })

  test('is limited for topics and clients with a flood of different names', async () => {
    const table = await testDynamo()
    const ports = { counters: countersOver(table), log: failingLog, now }
    const flood = placed(
      times(5_000, (n) => mcpEvent(n, `client ${n}`, { topics: times(3, (k) => `${n}-${k} ${'日'.repeat(70)}`) })),
    )
    await applyUsage(ports, { shard, records: recordsOf(flood) })
    const { topics, days, total } = await ports.counters.read(id, from, to)
    expect(total.mcp).toBe(5_000)
    expect(Object.keys(topics).length).toBe(1_000)
    expect(Object.keys(days[0]?.usersByClient ?? {})).toEqual(['other'])
  })
})

describe('a failure of an update', () => {
  for (const name of ['ThrottlingException', 'ProvisionedThroughputExceededException', 'InternalServerError', 'TimeoutError'])
    test(`fails the batch, and the next delivery counts it once: ${name}`, async () => {
      const table = await testDynamo()
      const events = placed(times(5, (n) => mcpEvent(n, 'cursor', { topics: ['routing'], country: 'DE' })))
      const faulty = faultyTable(table, (nth) =>
        nth % 2 === 0 ? { error: awsError(name, 500), takesEffect: nth % 4 === 0 } : undefined,
      )
      await expect(countersOver(faulty).add(id, shard, events)).rejects.toThrow(name)
      await countersOver(table).add(id, shard, events)
      expect(await countersOver(table).read(id, from, to)).toMatchObject({
        total: { mcp: 5 },
        days: [{ mcp: 5, users: 5 }],
        topics: { routing: 5 },
        countries: { DE: 5 },
      })
    })

  test('is logged and skipped if no retry can fix it, and the others are counted', async () => {
    const table = await testDynamo()
    const log = listeningLog()
    await table.db.send(new PutCommand({ TableName: table.name, Item: { pk: `LIB#${id}`, sk: 'TOTAL', mcp: 'not a number' } }))
    const counters = countersOver(table, log)
    await counters.add(id, shard, placed([mcpEvent('ann', 'cursor', { country: 'DE' })]))
    expect(log.lines.map(([message, { sk, reason }]) => [message, sk, reason])).toEqual([
      ['a usage counter was skipped', 'TOTAL', 'ValidationException'],
    ])
    expect((await itemOf(table, 'DAY#2026-11-21')).mcp).toBe(1)
    expect((await itemOf(table, 'COUNTRIES')).DE).toBe(1)
  })

  test('never blocks the shard if it returns with every retry', async () => {
    const log = listeningLog()
    const faulty = faultyTable(await testDynamo(), () => ({ error: awsError('ValidationException'), takesEffect: false }))
    await countersOver(faulty, log).add(id, shard, placed([mcpEvent('ann', 'cursor', { topics: ['a'], country: 'DE' })]))
    const left = log.lines.map(([, { sk }]) => String(sk).replace(/#\d$/, ''))
    expect(left.sort()).toEqual(['COUNTRIES', 'DAY#2026-11-21', 'TOPICS', 'TOTAL'])
  })

  test('loses only the users of a day if its sketch is damaged, not its requests', async () => {
    const table = await testDynamo()
    const log = listeningLog()
    const sketch = { pk: `LIB#${id}`, sk: 'SKETCH#2026-11-21', users: Uint8Array.of(9, 9, 9), version: 3 }
    await table.db.send(new PutCommand({ TableName: table.name, Item: sketch }))
    await countersOver(table, log).add(id, shard, placed([mcpEvent('ann')]))
    expect(log.lines.map(([message, { sk }]) => [message, sk])).toEqual([['a usage counter was skipped', 'SKETCH#2026-11-21']])
    expect(await countersOver(table).read(id, from, to)).toMatchObject({
      days: [{ mcp: 1, users: 0, usersByClient: { cursor: 1 } }],
    })
  })
})

describe('checkpoints', () => {
  test('are removed after nine days with the next write to the item, and newer ones stay', async () => {
    const table = await testDynamo()
    const on = (day: string) => dynamoCounters({ table, log: failingLog, now: () => new Date(`${day}T13:00:00.000Z`) })
    await on('2026-11-11').add(id, 'replay-old', placed([usageEvent()]))
    await on('2026-11-12').add(id, shardNumber(1), placed([usageEvent()]))
    await on('2026-11-13').add(id, shardNumber(2), placed([usageEvent()]))
    await on('2026-11-21').add(id, shardNumber(3), placed([usageEvent()]))
    const kept = Object.keys(await itemOf(table, 'TOTAL')).filter((name) => name.startsWith('s:'))
    expect(kept.sort()).toEqual(['s:2', 's:3'])
    expect((await itemOf(table, 'TOTAL')).txt).toBe(4)
  })

  test('prevent that a replay of the same file counts twice, the next day and weeks later', async () => {
    const table = await testDynamo()
    const records = ['1', '2', '3'].map((sequence) => ({ sequence, data: Buffer.from(JSON.stringify(usageEvent())) }))
    const replayOn = (day: string) => {
      const at = () => new Date(`${day}T13:00:00.000Z`)
      const log = listeningLog()
      return applyUsage({ counters: dynamoCounters({ table, log, now: at }), log, now: at }, { shard: 'replay-abc', records })
    }
    expect(await replayOn('2026-11-21')).toEqual({ counted: 3, skipped: 0 })
    expect(await replayOn('2026-11-22')).toEqual({ counted: 3, skipped: 0 })
    const later = dynamoCounters({ table, log: failingLog, now: () => new Date('2026-12-03T13:00:00.000Z') })
    await later.add(id, shard, placed([usageEvent({ at: '2026-12-03T12:00:00.000Z' })]))
    expect(await itemOf(table, 'TOTAL')).not.toHaveProperty(['s:replay-abc'])
    expect(await replayOn('2026-12-03')).toEqual({ counted: 0, skipped: 3 })
    expect((await itemOf(table, 'TOTAL')).txt).toBe(4)
  })
})
