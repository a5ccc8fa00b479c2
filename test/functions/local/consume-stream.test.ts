import { join } from 'node:path'
import type { KinesisStreamBatchResponse, KinesisStreamEvent } from 'aws-lambda'
import { expect, onTestFinished, test, vi } from 'vitest'
import { usageHandler } from '../../../functions/counting/usage-handler.ts'
import { type ConsumerPorts, consumeStream } from '../../../functions/local/consume-stream.ts'
import { type DiskStream, diskStream } from '../../../functions/local/disk-stream.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { recordedCounters, usageEvent } from '../../fixtures/usage.ts'

const signal = new AbortController().signal
const now = () => new Date()
const sequencesOf = ({ Records }: KinesisStreamEvent) => Records.map(({ kinesis }) => kinesis.sequenceNumber)
const nothingFailed: KinesisStreamBatchResponse = { batchItemFailures: [] }

function open(): DiskStream {
  const stream = diskStream(join(tempDir(), 'usage.db'))
  onTestFinished(() => stream.close())
  return stream
}

/** `count` events of one library that stand in the same shard. */
async function putInOneShard(stream: DiskStream, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const event = usageEvent({ id: `0${usageEvent().id.slice(1)}` })
    await stream.put(event, signal)
    ids.push(event.id)
  }
  return ids
}

function consume(ports: Pick<ConsumerPorts, 'stream' | 'handler'>) {
  const log = recordedLog()
  const consumer = consumeStream({ log, now, ...ports })
  onTestFinished(consumer.stop)
  return { log, stop: consumer.stop }
}

test('events are counted after their response, also those from before the start', async () => {
  const stream = open()
  const counters = recordedCounters()
  await stream.put(usageEvent({ library: '/acme/before' }), signal)
  const { log } = consume({ stream, handler: usageHandler({ counters, log: recordedLog(), now }) })
  await vi.waitFor(() => expect(counters.added.map(({ id }) => id)).toEqual(['/acme/before']), 120_000)
  await stream.put(usageEvent({ library: '/acme/after', version: 'v1' }), signal)
  await vi.waitFor(() => expect(counters.added.map(({ id }) => id)).toContain('/acme/after@v1'), 120_000)
  expect(log.lines).toEqual([])
})

test('the handler gets the same event as from Lambda', async () => {
  const stream = open()
  const events: KinesisStreamEvent[] = []
  const event = usageEvent()
  await stream.put(event, signal)
  consume({
    stream,
    handler: async (batch) => {
      events.push(batch)
      return nothingFailed
    },
  })
  await vi.waitFor(() => expect(events).toHaveLength(1), 120_000)
  const record = events[0]?.Records[0]
  expect(record).toMatchObject({ eventSource: 'aws:kinesis', eventName: 'aws:kinesis:record' })
  expect(record?.eventID).toMatch(/^shardId-00000000000[0-3]:\d+$/)
  expect(record?.eventID.endsWith(`:${record.kinesis.sequenceNumber}`)).toBe(true)
  expect(JSON.parse(Buffer.from(record?.kinesis.data ?? '', 'base64').toString())).toEqual(event)
})

test('a batch that could not be counted is delivered again with the same records until it can', async () => {
  const stream = open()
  const counters = recordedCounters()
  counters.failing = true
  const ids = await putInOneShard(stream, 5)
  const batches: string[][] = []
  const handle = usageHandler({ counters, log: recordedLog(), now })
  consume({
    stream,
    handler: (batch) => {
      batches.push(sequencesOf(batch))
      counters.failing = batches.length < 3
      return handle(batch)
    },
  })
  await vi.waitFor(() => expect(counters.added).toHaveLength(1), 120_000)
  expect(batches).toHaveLength(3)
  expect(new Set(batches.map(String)).size).toBe(1)
  expect(counters.added[0]?.events.map(({ event }) => event.id)).toEqual(ids)
})

test('a batch is delivered again from the record that failed', async () => {
  const stream = open()
  await putInOneShard(stream, 5)
  const batches: string[][] = []
  consume({
    stream,
    handler: async (batch) => {
      batches.push(sequencesOf(batch))
      return batches.length === 1 ? { batchItemFailures: [{ itemIdentifier: batches[0]?.[3] ?? '' }] } : nothingFailed
    },
  })
  await vi.waitFor(() => expect(batches).toHaveLength(2), 120_000)
  expect(batches[1]).toEqual(batches[0]?.slice(3))
})

test.each(['', 'unknown'])('a failure without a record (%s) fails the whole batch', async (itemIdentifier) => {
  const stream = open()
  await putInOneShard(stream, 3)
  const batches: string[][] = []
  consume({
    stream,
    handler: async (batch) => {
      batches.push(sequencesOf(batch))
      return batches.length === 1 ? { batchItemFailures: [{ itemIdentifier }] } : nothingFailed
    },
  })
  await vi.waitFor(() => expect(batches).toHaveLength(2), 120_000)
  expect(batches[1]).toEqual(batches[0])
})

test('the same records are delivered again after a crash between counting and advancing', async () => {
  const stream = open()
  await putInOneShard(stream, 5)
  const counters = recordedCounters()
  let crashes = 1
  const crashing: DiskStream = {
    ...stream,
    advance(shard, sequence) {
      if (crashes-- > 0) throw new Error('killed')
      stream.advance(shard, sequence)
    },
  }
  const { log } = consume({ stream: crashing, handler: usageHandler({ counters, log: recordedLog(), now }) })
  await vi.waitFor(() => expect(counters.added).toHaveLength(2), 120_000)
  expect(counters.added[1]).toEqual(counters.added[0])
  expect(log.lines).toMatchObject([{ level: 'error', fields: { error: expect.any(Error) }, message: 'usage batch failed' }])
})

test('a shard has one batch at a time, and stopping waits for it', async () => {
  const stream = open()
  await putInOneShard(stream, 3)
  let inHand = 0
  let most = 0
  let release = () => {}
  const { stop } = consume({
    stream,
    handler: async () => {
      inHand += 1
      most = Math.max(most, inHand)
      await new Promise<void>((resolve) => {
        release = resolve
      })
      inHand -= 1
      return nothingFailed
    },
  })
  await vi.waitFor(() => expect(inHand).toBe(1), 120_000)
  await putInOneShard(stream, 3)
  let stopped = false
  const stopping = stop().then(() => {
    stopped = true
  })
  await new Promise(setImmediate)
  expect(stopped).toBe(false)
  release()
  await stopping
  expect([inHand, most]).toEqual([0, 1])
  expect(stream.shards.filter((shard) => stream.position(shard) !== undefined)).toHaveLength(1)
})

test('a long queue is processed without pauses', async () => {
  const stream = open()
  await putInOneShard(stream, 5000)
  const sizes: number[] = []
  consume({
    stream,
    handler: async ({ Records }) => {
      sizes.push(Records.length)
      return nothingFailed
    },
  })
  await vi.waitFor(() => expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(5000), 120_000)
  expect(sizes).toEqual([1000, 1000, 1000, 1000, 1000])
})

test('an event is deleted from the disk a week after it was counted', async () => {
  const stream = open()
  await putInOneShard(stream, 3)
  for (const shard of stream.shards) {
    const last = stream.read(shard, undefined, 10).at(-1)
    if (last !== undefined) stream.advance(shard, last.sequence)
  }
  const inAWeek = () => new Date(Date.now() + 7 * 24 * 3600 * 1000 + 1000)
  const consumer = consumeStream({ stream, handler: async () => nothingFailed, log: recordedLog(), now: inAWeek })
  await consumer.stop()
  expect(stream.shards.flatMap((shard) => stream.read(shard, undefined, 10))).toEqual([])
})
