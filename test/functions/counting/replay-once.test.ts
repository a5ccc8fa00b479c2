import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { testDynamo } from '../../fixtures/dynamo.ts'
import { usageEvent } from '../../fixtures/usage.ts'
import { awsError, faultyTable } from '../dynamo/faulty-table.ts'
import { fileOf, logged, metricsOf, replayFile, replayPorts } from './replay-ports.ts'

const library = '/acme/kit'
const event = () => usageEvent({ surface: 'mcp', client: 'cursor', user: 'x'.repeat(22), country: 'DE', version: 'v1' })
const lines = (count: number) => Array.from({ length: count }, () => logged(event()))
const killed = { error: awsError('Killed'), takesEffect: false }
const killedAfter = { error: awsError('Killed'), takesEffect: true }

async function expectCounted(table: Parameters<typeof metricsOf>[0], count: number) {
  for (const id of [library, `${library}@v1`]) {
    const { total, topics, countries, daily } = await metricsOf(table, id)
    expect(total).toEqual({ page: 0, txt: 0, mcp: count, cli: 0 })
    expect(topics).toEqual([{ topic: 'setup', count }])
    expect(countries).toEqual([{ country: 'DE', count }])
    expect(daily.reduce((sum, day) => sum + day.mcp, 0)).toBe(count)
  }
}

test('a log is counted once however often it is replayed, and the report has what this replay did', async () => {
  const table = await testDynamo()
  const path = fileOf(...lines(1200))
  const nothing = { skipped: 0, omitted: 0, problems: [] }
  expect(await replayFile(replayPorts(table), path)).toEqual({ ...nothing, counted: 1200, countedBefore: 0 })
  expect(await replayFile(replayPorts(table), path)).toEqual({ ...nothing, counted: 0, countedBefore: 1200 })
  await expectCounted(table, 1200)
})

test('a log that grew has only its new events counted', async () => {
  const table = await testDynamo()
  const before = lines(700)
  await replayFile(replayPorts(table), fileOf(...before))
  expect(await replayFile(replayPorts(table), fileOf(...before, ...lines(300)))).toMatchObject({
    counted: 300,
    countedBefore: 700,
  })
  await expectCounted(table, 1000)
})

test('an event in two logs is counted once, in any order', async () => {
  const table = await testDynamo()
  const [first, both, second] = [lines(40), lines(60), lines(50)]
  await replayFile(replayPorts(table), fileOf(...second, ...both.toReversed()))
  expect(await replayFile(replayPorts(table), fileOf(...first, ...both))).toMatchObject({ counted: 40, countedBefore: 60 })
  await expectCounted(table, 150)
})

test('concurrent replays count each event once, and each reports which ones it counted', async () => {
  const table = await testDynamo()
  const both = lines(500)
  const files = [fileOf(...both), fileOf(...both.toReversed(), ...lines(50)), fileOf(...lines(50), ...both)]
  const reports = await Promise.all(files.map((path) => replayFile(replayPorts(table), path)))
  expect(reports.map(({ counted, countedBefore }) => counted + countedBefore)).toEqual([500, 550, 550])
  expect(reports.reduce((sum, { counted }) => sum + counted, 0)).toBe(600)
  await expectCounted(table, 600)
})

test('uncertain events are counted once if they are requested, also after they were omitted', async () => {
  const table = await testDynamo()
  const doubtful = logged(event(), true)
  const path = fileOf(doubtful, ...lines(3))
  expect(await replayFile(replayPorts(table), path)).toMatchObject({ counted: 3, omitted: 1 })
  expect(await replayFile(replayPorts(table), path, true)).toMatchObject({ counted: 1, countedBefore: 3, omitted: 0 })
  expect(await replayFile(replayPorts(table), path, true)).toMatchObject({ counted: 0, countedBefore: 4 })
  await expectCounted(table, 4)
})

test('a replay that is killed at any command is finished by one of the log as it grew, and nothing is counted twice', async () => {
  const commandsOf = async (path: string) => {
    const table = faultyTable(await testDynamo(), () => undefined)
    await replayFile(replayPorts(table), path)
    return table.commands.length
  }
  const count = await commandsOf(fileOf(...lines(4)))
  expect(count).toBeGreaterThan(20)
  for (let nth = 1; nth <= count; nth++) {
    for (const fate of [killed, killedAfter]) {
      const table = await testDynamo()
      const before = lines(4)
      const dying = faultyTable(table, (command) => (command < nth ? undefined : command === nth ? fate : killed))
      await expect(replayFile(replayPorts(dying), fileOf(...before))).rejects.toThrow('Killed')
      await replayFile(replayPorts(table), fileOf(...lines(1), ...before.toReversed(), ...lines(1)))
      await replayFile(replayPorts(table), fileOf(...before))
      await expectCounted(table, 6)
    }
  }
})

test('the batch of a killed replay is finished by a replay of another log', async () => {
  const table = await testDynamo()
  const dying = faultyTable(table, (_nth, command) => (command === 'BatchGet' || command === 'Get' ? undefined : killedAfter))
  await expect(replayFile(replayPorts(dying), fileOf(...lines(5)))).rejects.toThrow('Killed')
  expect(await replayFile(replayPorts(table), fileOf(''))).toMatchObject({ counted: 0, countedBefore: 0 })
  await expectCounted(table, 5)
})

test('a replay that resumes after others have finished its batch changes nothing', async () => {
  const table = await testDynamo()
  const path = fileOf(...lines(30))
  const ports = replayPorts(table)
  const waits = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const late = {
    ...ports.replayed,
    async claim(ids: string[], number: number) {
      reached.resolve()
      await waits.promise
      return ports.replayed.claim(ids, number)
    },
  }
  const sleeping = replayFile({ ...ports, replayed: late }, path)
  await reached.promise
  await replayFile(replayPorts(table), path)
  await replayFile(replayPorts(table), fileOf(...lines(20)))
  waits.resolve()
  await sleeping
  await expectCounted(table, 50)
})

test('events of any size and name fit into an item of 400 KB', async () => {
  const ports = replayPorts(await testDynamo())
  const sizes: number[] = []
  const measured: typeof ports.replayed = {
    ...ports.replayed,
    put(batch) {
      sizes.push(Buffer.byteLength(JSON.stringify(batch)))
      return ports.replayed.put(batch)
    },
  }
  const wide = Array.from({ length: 250 }, () =>
    logged({ ...event(), library: `/acme/${'語'.repeat(400)}`, version: '語'.repeat(300) }),
  )
  expect(await replayFile({ ...ports, replayed: measured }, fileOf(...wide))).toMatchObject({ counted: 250 })
  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThan(400_000)
})

test('the stored facts of an event are deleted when the event is too old to be counted', async () => {
  const table = await testDynamo()
  const own = event()
  await replayFile(replayPorts(table), fileOf(logged(own)))
  const { db, name } = table
  const { Item } = await db.send(new GetCommand({ TableName: name, Key: { pk: `REPLAYED#${own.id}`, sk: own.id } }))
  expect(Object.keys(Item ?? {}).sort()).toEqual(['batch', 'expiresAt', 'pk', 'sk'])
  expect((Item?.expiresAt * 1000 - Date.now()) / 86_400_000).toBeCloseTo(9, 1)
})
