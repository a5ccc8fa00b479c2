import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { replayHandler } from '../../../functions/counting/replay-handler.ts'
import { openTestDynamo } from '../../fixtures/dynamo.ts'
import { logsEvent } from '../../fixtures/lambda-events.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { recordedCounters, usageEvent } from '../../fixtures/usage.ts'
import { fileOf, logged, metricsOf, replayFile, replayPorts } from './replay-ports.ts'

let table: Awaited<ReturnType<typeof openTestDynamo>>

beforeAll(async () => {
  table = await openTestDynamo()
})
afterAll(() => table.close())

test('an event of the log counts once if its lines are delivered again, at the same time, or replayed by a person before or after', async () => {
  const handler = replayHandler(replayPorts(table))
  const events = Array.from({ length: 30 }, () => usageEvent({ library: '/acme/missed' }))
  const lines = events.map((event) => logged(event))
  await replayFile(replayPorts(table), fileOf(...lines.slice(0, 5)))
  await Promise.all([handler(logsEvent(lines.slice(0, 20))), handler(logsEvent(lines.slice(10)))])
  expect(await handler(logsEvent(lines))).toMatchObject({ counted: 0, countedBefore: 30 })
  expect(await replayFile(replayPorts(table), fileOf(...lines), true)).toMatchObject({ counted: 0, countedBefore: 30 })
  expect((await metricsOf(table, '/acme/missed')).total.txt).toBe(30)
})

test('uncertain events, which may be on the stream, are left to a person', async () => {
  const handler = replayHandler(replayPorts(table))
  const line = logged(usageEvent({ library: '/acme/uncertain' }), true)
  expect(await handler(logsEvent([line]))).toMatchObject({ counted: 0, omitted: 1 })
  expect(await replayFile(replayPorts(table), fileOf(line), true)).toMatchObject({ counted: 1 })
})

test('events that cannot be counted are counted by the next delivery, and no line of the log causes another delivery', async () => {
  const counters = recordedCounters()
  const log = recordedLog()
  const handler = replayHandler({ ...replayPorts(table), counters, log })
  const line = logged(usageEvent())
  counters.failing = true
  await expect(handler(logsEvent([line]))).rejects.toThrow('throttled')
  counters.failing = false
  await handler(logsEvent([line]))
  expect(counters.added.map(({ events }) => events.length)).toEqual([1])
  expect(log.lines.filter(({ message }) => message.startsWith('usage event '))).toEqual([])
})

test('a check that the function can be called counts nothing', async () => {
  const handler = replayHandler(replayPorts(table))
  expect(await handler(logsEvent([logged(usageEvent())], 'CONTROL_MESSAGE'))).toBeUndefined()
})

test.each([
  ['no compressed text', randomBytes(40)],
  ['no JSON', gzipSync('{')],
  ['another form', gzipSync('{"messageType":"DATA_MESSAGE","logEvents":"none"}')],
  ['more than the lines of a delivery', gzipSync(Buffer.alloc(65 * 2 ** 20, ' '))],
])('a delivery that is %s is an error', async (_what, data) => {
  const handler = replayHandler(replayPorts(table))
  await expect(handler({ awslogs: { data: data.toString('base64') } })).rejects.toThrow()
})
