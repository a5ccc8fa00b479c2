import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { usageHandler } from '../../../functions/counting/usage-handler.ts'
import { dynamoCounters } from '../../../functions/dynamo/counters/dynamo-counters.ts'
import { dynamoSalts } from '../../../functions/dynamo/counters/dynamo-salts.ts'
import { consumeStream } from '../../../functions/local/consume-stream.ts'
import { type DiskStream, diskStream } from '../../../functions/local/disk-stream.ts'
import { readMetrics } from '../../../shared/usage/read-metrics.ts'
import { type AnsweredRequest, recordUsage } from '../../../shared/usage/record-usage.ts'
import { testDynamo } from '../../fixtures/dynamo.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const now = () => new Date()

async function install() {
  const table = await testDynamo()
  const log = recordedLog()
  const counters = dynamoCounters({ table, log, now })
  return { table, log, counters, metrics: (id: string) => readMetrics({ counters, now }, id, 1) }
}

test('requests are in the metrics, each once, although the consumer crashes after every second batch', async () => {
  const { table, log, counters, metrics } = await install()
  const path = join(tempDir(), 'usage.db')
  const stream = diskStream(path)
  let batches = 0
  const crashing: DiskStream = {
    ...stream,
    advance(shard, sequence) {
      batches += 1
      if (batches % 2 === 1) throw new Error('killed')
      stream.advance(shard, sequence)
    },
  }
  const consumer = consumeStream({
    stream: crashing,
    handler: usageHandler({ counters, log: recordedLog(), now }),
    log: recordedLog(),
    now,
  })
  onTestFinished(async () => {
    await consumer.stop()
    stream.close()
  })

  const ports = { stream, salts: dynamoSalts({ table: table.salts, now }), log, now }
  await ports.salts.saltOf(now().toISOString().slice(0, 10))
  const ask = (fields: Partial<AnsweredRequest>) =>
    recordUsage(ports, {
      library: '/acme/kit',
      surface: 'txt',
      topics: ['setup'],
      address: '203.0.113.7',
      userAgent: 'x',
      ...fields,
    })
  for (let n = 0; n < 20; n++) await ask({ surface: 'mcp', client: 'cursor', address: `203.0.113.${n % 5}`, country: 'DE' })
  for (let n = 0; n < 10; n++) await ask({ version: 'v1' })
  await vi.waitFor(async () => expect((await metrics('/acme/kit')).total).toEqual({ page: 0, txt: 10, mcp: 20, cli: 0 }), 120_000)
  await vi.waitFor(
    () => expect(stream.shards.every((shard) => stream.read(shard, stream.position(shard), 1).length === 0)).toBe(true),
    120_000,
  )

  const { total, mcpClients, topics, countries } = await metrics('/acme/kit')
  expect(total).toEqual({ page: 0, txt: 10, mcp: 20, cli: 0 })
  expect(mcpClients.dailyData).toMatchObject([{ uniqueUsersByClient: { cursor: 5 }, totalUniqueUsers: 5 }])
  expect(topics).toEqual([{ topic: 'setup', count: 30 }])
  expect(countries).toEqual([{ country: 'DE', count: 20 }])
  expect((await metrics('/acme/kit@v1')).total.txt).toBe(10)
  expect(batches).toBeGreaterThan(1)
  expect(log.lines).toEqual([])
})
