import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDynamo } from '../../fixtures/dynamo.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { recordedCounters, usageEvent } from '../../fixtures/usage.ts'
import { fileOf, logged, replayFile, replayPorts } from './replay-ports.ts'

const hour = 3600 * 1000
const uncertain = true

let table: Awaited<ReturnType<typeof openTestDynamo>>

beforeAll(async () => {
  table = await openTestDynamo()
})
afterAll(() => table.close())

function install() {
  const counters = recordedCounters()
  return { counters, ports: { ...replayPorts(table), counters } }
}

const eventsOf = ({ added }: ReturnType<typeof recordedCounters>) =>
  added.flatMap(({ events }) => events.map(({ event }) => event))

test('logged and bare events are counted, and other lines are ignored', async () => {
  const { counters, ports } = install()
  const [first, second] = [usageEvent(), usageEvent()]
  const path = fileOf(logged(first), '{"level":30,"msg":"listening"}', '', JSON.stringify(second))
  expect(await replayFile(ports, path)).toEqual({ counted: 2, countedBefore: 0, skipped: 0, omitted: 0, problems: [] })
  expect(eventsOf(counters)).toEqual([first, second])
})

test('all replays are one shard, in which each event has a higher place than those before', async () => {
  const { counters, ports } = install()
  await replayFile(ports, fileOf(...Array.from({ length: 1500 }, () => logged(usageEvent()))))
  await replayFile(ports, fileOf(logged(usageEvent())))
  expect(new Set(counters.added.map(({ shard }) => shard))).toEqual(new Set(['replay']))
  const sequences = counters.added.flatMap(({ events }) => events.map(({ sequence }) => Number(sequence)))
  expect(sequences).toEqual([...new Set(sequences)].toSorted((one, other) => one - other))
})

test('an event that is twice in a file is counted once, however far apart', async () => {
  const { counters, ports } = install()
  const event = usageEvent()
  const others = Array.from({ length: 2500 }, () => logged(usageEvent()))
  const path = fileOf(logged(event), ...others, JSON.stringify(event))
  const problems = [{ line: 2502, reason: 'the event repeats an earlier line' }]
  expect(await replayFile(ports, path)).toEqual({ counted: 2501, countedBefore: 0, skipped: 1, omitted: 0, problems })
  const ids = eventsOf(counters).map(({ id }) => id)
  expect(new Set(ids).size).toBe(2501)
  expect(ids).toHaveLength(2501)
})

test('uncertain events are omitted unless requested', async () => {
  const { counters, ports } = install()
  const path = fileOf(logged(usageEvent({ library: '/acme/doubt' }), true), logged(usageEvent()))
  expect(await replayFile(ports, path)).toMatchObject({ counted: 1, countedBefore: 0, skipped: 0, omitted: 1 })
  expect(counters.added.map(({ id }) => id)).toEqual(['/acme/kit'])
  expect(await replayFile(ports, path, uncertain)).toMatchObject({ counted: 1, countedBefore: 1, skipped: 0, omitted: 0 })
  expect(counters.added.map(({ id }) => id)).toEqual(['/acme/kit', '/acme/doubt'])
})

test('an event that is uncertain on one line and certain on another is counted', async () => {
  const { ports } = install()
  const event = usageEvent()
  expect(await replayFile(ports, fileOf(logged(event, true), logged(event)))).toMatchObject({ counted: 1, omitted: 1 })
})

test('a logged event is certain only if its line marks it so, and a bare one always is', async () => {
  const { ports } = install()
  const odd = ['"false"', '"true"', 'null', '1'].map((mark) => `{"event":${JSON.stringify(usageEvent())},"uncertain":${mark}}`)
  expect(await replayFile(ports, fileOf(...odd))).toMatchObject({ counted: 0, skipped: 0, omitted: 4 })
})

test('lines without an event are reported by number, without their content', async () => {
  const { ports } = install()
  const broken = [
    'secret',
    '[1]',
    '{"event":',
    '{"event":"secret"}',
    logged({ ...usageEvent(), library: 'secret'.repeat(100) }),
    `{"event":"${'x'.repeat(200_000)}"}`,
    `{"event":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
  ]
  const path = fileOf(...broken, logged(usageEvent()))
  const report = await replayFile(ports, path)
  expect(report).toMatchObject({ counted: 1, skipped: 7, omitted: 0 })
  expect(report.problems.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(JSON.stringify([report, ports.log])).not.toContain('secret')
})

test('an event that is too old to be counted is reported', async () => {
  const { ports } = install()
  const old = usageEvent({ at: new Date(Date.now() - 7 * 24 * hour - hour).toISOString() })
  const young = usageEvent({ at: new Date(Date.now() - 7 * 24 * hour + hour).toISOString() })
  const problems = [{ line: 1, reason: 'older than 7 days' }]
  expect(await replayFile(ports, fileOf(logged(old), logged(young)))).toMatchObject({ counted: 1, skipped: 1, problems })
})

test('a batch that failed in Lambda is counted event by event if uncertain ones are requested', async () => {
  const { counters, ports } = install()
  const events = [usageEvent(), usageEvent()]
  const payload = {
    Records: [...events, 'secret'].map((event) => ({ kinesis: { data: Buffer.from(JSON.stringify(event)).toString('base64') } })),
  }
  const info = { shardId: 'shardId-000000000001', batchSize: 3 }
  const given = { version: '1.0', KinesisBatchInfo: info, payload: JSON.stringify(payload) }
  const path = fileOf('', JSON.stringify(given), '{"KinesisBatchInfo":{}}')
  expect(await replayFile(ports, path)).toMatchObject({ counted: 0, omitted: 2, skipped: 1 })
  expect(await replayFile(ports, path, true)).toMatchObject({ counted: 2, skipped: 1, problems: [{ line: 2 }] })
  expect(eventsOf(counters)).toEqual(events)
})

test('a file without an end of line does not fill the memory', async () => {
  const { ports } = install()
  const path = join(tempDir(), 'usage.log')
  writeFileSync(path, '')
  truncateSync(path, 300 * 1024 * 1024)
  const before = process.memoryUsage().rss
  expect(await replayFile(ports, path)).toMatchObject({ skipped: 1 })
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
})

test('the lines of a Windows file and a last line without an end are read', async () => {
  const { ports } = install()
  expect(await replayFile(ports, fileOf(`${logged(usageEvent())}\r`, logged(usageEvent())))).toMatchObject({
    counted: 2,
  })
})

test('many broken lines produce at most a hundred reports', async () => {
  const { ports } = install()
  const path = fileOf('x\n'.repeat(300_000))
  const { counted, skipped, problems } = await replayFile(ports, path)
  expect({ counted, skipped, reported: problems.length }).toEqual({ counted: 0, skipped: 300_000, reported: 100 })
})

test('a failure of the counters ends the replay, which can be repeated', async () => {
  const { counters, ports } = install()
  const path = fileOf(logged(usageEvent()))
  counters.failing = true
  await expect(replayFile(ports, path)).rejects.toThrow('throttled')
  counters.failing = false
  expect(await replayFile(ports, path)).toMatchObject({ counted: 0, countedBefore: 1 })
  expect(eventsOf(counters)).toHaveLength(1)
})
