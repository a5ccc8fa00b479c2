import { setTimeout as pause } from 'node:timers/promises'
import type { KinesisStreamBatchResponse, KinesisStreamEvent, KinesisStreamRecord } from 'aws-lambda'
import type { Log } from '../../shared/log.ts'
import type { DiskStream, StreamRecord } from './disk-stream.ts'

export type ConsumerPorts = {
  stream: DiskStream
  /** The same handler that Lambda calls for Kinesis. */
  handler(event: KinesisStreamEvent): Promise<KinesisStreamBatchResponse>
  log: Log
  now(): Date
}

const batchSize = 1000
const idleMs = 250
const maxPauseMs = 5000
const pruneEveryMs = 3600 * 1000
const retentionMs = 7 * 24 * 3600 * 1000

/**
 * Consumes a stream on disk like Lambda consumes Kinesis: passes batches to the handler, one at a time per shard, and continues after the
 * last handled record, so that a failed batch is delivered again. `stop` waits for the current batches.
 */
export function consumeStream(ports: ConsumerPorts): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const loops = ports.stream.shards.map((shard) => consumeShard(ports, shard, stopping.signal))
  const done = Promise.all([...loops, prunePeriodically(ports, stopping.signal)])
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}

async function consumeShard(ports: ConsumerPorts, shard: number, signal: AbortSignal): Promise<void> {
  let pauseMs = idleMs
  while (!signal.aborted) {
    const { handled, failed } = await consumeBatch(ports, shard)
    pauseMs = failed ? Math.min(pauseMs * 2, maxPauseMs) : idleMs
    if (failed || handled < batchSize) await sleep(pauseMs, signal)
  }
}

async function consumeBatch(
  { stream, handler, log }: ConsumerPorts,
  shard: number,
): Promise<{ handled: number; failed: boolean }> {
  try {
    const records = stream.read(shard, stream.position(shard), batchSize)
    if (records.length === 0) return { handled: 0, failed: false }
    const { batchItemFailures } = await handler({ Records: records.map((record) => kinesisRecord(shard, record)) })
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    const handled =
      failed.size === 0
        ? records.length
        : Math.max(
            0,
            records.findIndex(({ sequence }) => failed.has(sequence)),
          )
    const last = records[handled - 1]
    if (last !== undefined) stream.advance(shard, last.sequence)
    return { handled, failed: failed.size > 0 }
  } catch (error) {
    log.error({ shard, error }, 'usage batch failed')
    return { handled: 0, failed: true }
  }
}

const shardId = (shard: number): string => `shardId-${String(shard).padStart(12, '0')}`

const arn = 'arn:aws:kinesis:local:000000000000:stream/usage'

const kinesisRecord = (shard: number, { sequence, partitionKey, data, at }: StreamRecord): KinesisStreamRecord => ({
  eventSource: 'aws:kinesis',
  eventVersion: '1.0',
  eventID: `${shardId(shard)}:${sequence}`,
  eventName: 'aws:kinesis:record',
  invokeIdentityArn: 'arn:aws:iam::000000000000:role/local',
  awsRegion: 'local',
  eventSourceARN: arn,
  kinesis: {
    kinesisSchemaVersion: '1.0',
    partitionKey,
    sequenceNumber: sequence,
    data: Buffer.from(data).toString('base64'),
    approximateArrivalTimestamp: at / 1000,
  },
})

async function prunePeriodically({ stream, log, now }: ConsumerPorts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      stream.prune(new Date(now().getTime() - retentionMs))
    } catch (error) {
      log.error({ error }, 'old usage events could not be deleted')
    }
    await sleep(pruneEveryMs, signal)
  }
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> => pause(ms, undefined, { signal }).catch(() => {})
