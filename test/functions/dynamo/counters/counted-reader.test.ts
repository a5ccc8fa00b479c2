import { expect, test } from 'vitest'
import { dynamoCounters } from '../../../../functions/dynamo/counters/dynamo-counters.ts'
import { countDynamo } from '../../../bench/hosted/count-dynamo.ts'
import { testDynamo } from '../../../fixtures/dynamo.ts'
import { silentLog } from '../../../fixtures/silent-log.ts'
import { usageEvent } from '../../../fixtures/usage.ts'
import { awsError, faultyTable, isWrite } from '../faulty-table.ts'

const day = '2026-11-20'
const now = () => new Date(`${day}T12:00:00.000Z`)
const libraries = ['/acme/a', '/acme/b']

async function testCounters() {
  const table = await testDynamo()
  const counters = dynamoCounters({ table, log: silentLog, now })
  let sequence = 1
  return {
    table,
    counters,
    count: (library: string, topic: string) => {
      const event = usageEvent({ library, surface: 'txt', topics: [topic], at: now().toISOString() })
      return counters.add(library, 'shard', [{ sequence: String(sequence++), event }])
    },
    read: () => counters.readEach(libraries, day, day),
  }
}

test('several libraries are read as each of them is', async () => {
  const { count, counters, read } = await testCounters()
  await count('/acme/a', 'levers')
  await count('/acme/a', 'wheels')
  await count('/acme/b', 'wheels')
  const each = await Promise.all(libraries.map((id) => counters.read(id, day, day)))
  expect(await read()).toEqual(each)
  expect(await read()).toEqual(each)
  expect(each.map(({ topics }) => topics)).toEqual([{ levers: 1, wheels: 1 }, { wheels: 1 }])
})

test('libraries without new requests are read in one call, and those with an event or an erasure completely', async () => {
  const { count, counters, read } = await testCounters()
  await count('/acme/a', 'levers')
  await count('/acme/b', 'wheels')
  await read()
  expect((await countDynamo(read)).map(({ command }) => command)).toEqual(['BatchGet'])
  await count('/acme/b', 'levers')
  expect((await read()).map(({ topics }) => topics)).toEqual([{ levers: 1 }, { levers: 1, wheels: 1 }])
  await counters.forget('/acme/b')
  expect((await read()).map(({ topics }) => topics)).toEqual([{ levers: 1 }, {}])
})

test('a reader does not keep what it read between a crash of the counting and its repetition', async () => {
  for (let crashAt = 1, crashed = true; crashed; crashAt++) {
    const { counters, read, table } = await testCounters()
    const event = usageEvent({ library: '/acme/a', topics: ['levers'], country: 'DE', at: now().toISOString() })
    const events = [{ sequence: '1', event }]
    let writes = 0
    const dying = faultyTable(table, (_, command) =>
      isWrite(command) && ++writes >= crashAt ? { error: awsError('crash'), takesEffect: false } : undefined,
    )
    crashed = await dynamoCounters({ table: dying, log: silentLog, now })
      .add('/acme/a', 'shard', events)
      .then(
        () => false,
        () => true,
      )
    await read()
    await counters.add('/acme/a', 'shard', events)
    expect((await read())[0]).toEqual(await counters.read('/acme/a', day, day))
  }
})
