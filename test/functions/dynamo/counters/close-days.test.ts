import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { dynamoCounters } from '../../../../functions/dynamo/counters/dynamo-counters.ts'
import type { Table } from '../../../../functions/dynamo/table.ts'
import { applyUsage } from '../../../../shared/usage/apply-usage.ts'
import type { PlacedEvent } from '../../../../shared/usage/counters.ts'
import { failingLog, mcpEvent, placed, times, usageEvent } from '../../../contracts/counters-events.ts'
import { testDynamo } from '../../../fixtures/dynamo.ts'
import { awsError, faultyTable } from '../faulty-table.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000]
const library = '/honojs/website'
const pk = `LIB#${library}`
const firstDay = Date.parse('2026-11-01')
const quiet = { info: () => undefined, warn: () => undefined, error: failingLog.error }

const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10)
const eventAt = (time: number) => usageEvent({ library, at: new Date(time).toISOString() })

/** The usage function at a time, by its own clock. */
function deliver(table: Table, shard: string, events: PlacedEvent[], time: number) {
  const now = () => new Date(time)
  const records = events.map(({ sequence, event }) => ({ sequence, data: Buffer.from(JSON.stringify(event)) }))
  return applyUsage({ counters: dynamoCounters({ table, log: failingLog, now }), log: quiet, now }, { shard, records })
}

/** One request a day from the nth day on, at noon, each counted then. */
const requests = (count: number, from = 0) =>
  placed(
    times(count, (n) => eventAt(firstDay + (from + n) * dayMs + 12 * hourMs)),
    from,
  )
const countOnTheirDays = async (table: Table, events: PlacedEvent[]) => {
  for (const placed of events) await deliver(table, 'shardId-000000000001', [placed], Date.parse(placed.event.at))
}

const dayItem = async ({ db, name }: Table, n: number) =>
  (await db.send(new GetCommand({ TableName: name, Key: { pk, sk: `DAY#${dateOf(firstDay + n * dayMs)}` } }))).Item ?? {}
const readDay = async (table: Table, n: number) => {
  const date = dateOf(firstDay + n * dayMs)
  return (await dynamoCounters({ table, log: failingLog, now: () => new Date() }).read(library, date, date)).days[0]
}
const hasCheckpoints = async (table: Table, n: number) =>
  Object.keys(await dayItem(table, n)).some((name) => name.startsWith('s:'))
const daysWithCheckpoints = async (table: Table, count: number) => {
  const all = await Promise.all(times(count, (n) => hasCheckpoints(table, n)))
  return all.flatMap((has, n) => (has ? [n] : []))
}

test('a day is counted once whatever is delivered again, also with clocks that are most of a day slow', async () => {
  const table = await testDynamo()
  const atOnce = [0, 12 * hourMs, dayMs - 1].map((ms) => eventAt(firstDay + ms))
  const late = { shard: 'replay-abc', events: placed(times(2, () => eventAt(firstDay + dayMs - 1))) }
  const deliveries = [{ shard: 'shardId-000000000000', events: placed(atOnce) }, late]
  const again = async (time: number) => {
    for (const { shard, events } of deliveries)
      for (const slowMs of [0, 23 * hourMs]) await deliver(table, shard, events, Math.max(firstDay + dayMs, time - slowMs))
  }
  const ahead = 5 * 60_000
  const moments = times(12, (n) => firstDay + (n + 1) * dayMs).flatMap((midnight) => [midnight - ahead, midnight + 12 * hourMs])
  for (const [n, time] of moments.entries()) {
    await again(time)
    await deliver(table, 'shardId-000000000001', placed([eventAt(time + ahead)], n), time)
    await again(time)
    expect(await readDay(table, 0), new Date(time).toISOString()).toMatchObject({ txt: 5 })
  }
  expect(await daysWithCheckpoints(table, 13)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12])
  expect(
    await dynamoCounters({ table, log: failingLog, now: () => new Date() }).read(library, '2026-11-01', '2026-11-30'),
  ).toMatchObject({ total: { txt: 5 + moments.length }, days: [{ txt: 5 }, ...times(12, () => ({ txt: 2 }))] })
})

test('all earlier days are closed after a pause of any length', async () => {
  for (const pause of [1, 4, 9, 60]) {
    const table = await testDynamo()
    await countOnTheirDays(table, requests(20))
    await countOnTheirDays(table, requests(1, 19 + pause))
    const open = times(20, (n) => n).filter((n) => n > 10 + pause)
    expect(await daysWithCheckpoints(table, 20), `${pause} days`).toEqual(open)
  }
})

test('earlier days are read only with the first requests of a day', async () => {
  const table = faultyTable(await testDynamo(), () => undefined)
  const lookedAt = () => table.commands.splice(0).filter((command) => command === 'Query').length
  const [one, ...more] = placed(times(4, () => eventAt(firstDay)))
  await deliver(table, 'shardId-000000000000', one ? [one] : [], firstDay)
  expect(lookedAt()).toBe(1)
  await deliver(table, 'shardId-000000000000', more, firstDay)
  await deliver(table, 'shardId-000000000001', more.slice(1), firstDay)
  expect(lookedAt()).toBe(0)
})

test('a crash at any command leaves days that the next delivery closes, and nothing is counted twice', async () => {
  for (let nth = 1, crashed = true; crashed; nth++)
    for (const takesEffect of [false, true]) {
      const table = await testDynamo()
      await countOnTheirDays(table, requests(1))
      const next = requests(1, 9)
      const faulty = faultyTable(table, (at) => (at < nth ? undefined : { error: awsError('crash'), takesEffect }))
      crashed = await countOnTheirDays(faulty, next).then(
        () => false,
        () => true,
      )
      await countOnTheirDays(table, next)
      expect(Object.keys(await dayItem(table, 0)).sort()).toEqual(['closed', 'pk', 'sk'])
      expect(await readDay(table, 0)).toMatchObject({ txt: 1 })
      expect((await dayItem(table, 9)).txt).toBe(1)
    }
})

test('a day whose counters change while it is read stays open', async () => {
  for (const surface of ['txt', 'cli']) {
    const table = await testDynamo()
    await countOnTheirDays(table, requests(1))
    const Key = { pk, sk: 'DAY#2026-11-01' }
    const move = { UpdateExpression: `ADD ${surface} :n`, ExpressionAttributeValues: { ':n': 7 } }
    const send = async (command: { constructor: { name: string } }) => {
      const answer = await table.db.send(command as never)
      if (command.constructor.name === 'QueryCommand')
        await table.db.send(new UpdateCommand({ TableName: table.name, Key, ...move }))
      return answer
    }
    const db = new Proxy(table.db, { get: (handle, key) => (key === 'send' ? send : Reflect.get(handle, key)) })
    await countOnTheirDays({ ...table, db }, requests(1, 9))
    expect(await hasCheckpoints(table, 0)).toBe(true)
    expect(await readDay(table, 0)).toMatchObject({ [surface]: surface === 'txt' ? 8 : 7 })
  }
})

test('a closed day shows the same figures as before, with users of clients of any name', async () => {
  const table = await testDynamo()
  const at = new Date(firstDay).toISOString()
  const counters = dynamoCounters({ table, log: failingLog, now: () => new Date(firstDay) })
  const clients = ['cursor', 'zed', '__proto__', 'closed', 'größe', '"']
  const asked = clients.flatMap((client) => ['ann', client].map((user) => mcpEvent(user, client, { at })))
  await counters.add(library, 'shardId-000000000000', placed([...asked, usageEvent({ at, surface: 'page' })]))
  const open = await readDay(table, 0)
  expect(open).toMatchObject({ mcp: 12, page: 1, users: 7, usersByClient: { cursor: 2, '"': 2 } })
  await countOnTheirDays(table, requests(1, 9))
  expect(Object.keys(await dayItem(table, 0)).sort()).toEqual(['closed', 'pk', 'sk'])
  expect(await readDay(table, 0)).toEqual(open)
})

test('a day is closed however many shards and replays have counted in it', async () => {
  const table = await testDynamo()
  await countOnTheirDays(table, requests(1))
  const sets = times(1_200, (n) => [`s:shard ${n}`, `${'0'.repeat(37)}.abc`] as const)
  const UpdateExpression = (some: typeof sets) => `SET ${some.map((_, n) => `#${n} = :${n}`).join(',')}`
  for (let from = 0; from < sets.length; from += 100) {
    const some = sets.slice(from, from + 100)
    const names = Object.fromEntries(some.map(([name], n) => [`#${n}`, name]))
    const values = Object.fromEntries(some.map(([, value], n) => [`:${n}`, value]))
    const input = { UpdateExpression: UpdateExpression(some), ExpressionAttributeNames: names, ExpressionAttributeValues: values }
    await table.db.send(new UpdateCommand({ TableName: table.name, Key: { pk, sk: 'DAY#2026-11-01' }, ...input }))
  }
  const lengths: number[] = []
  const send = (command: { input: { UpdateExpression?: string } }) => {
    lengths.push(command.input.UpdateExpression?.length ?? 0)
    return table.db.send(command as never)
  }
  const db = new Proxy(table.db, { get: (handle, key) => (key === 'send' ? send : Reflect.get(handle, key)) })
  await countOnTheirDays({ ...table, db }, requests(1, 9))
  expect(Math.max(...lengths)).toBeLessThanOrEqual(4_096)
  expect(await dayItem(table, 0)).toHaveProperty('closed')
  expect(await readDay(table, 0)).toMatchObject({ txt: 1 })
})
