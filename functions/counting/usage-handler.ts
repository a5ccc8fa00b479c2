import type { KinesisStreamBatchResponse, KinesisStreamEvent, KinesisStreamRecord } from 'aws-lambda'
import type { Log } from '../../shared/log.ts'
import { applyUsage } from '../../shared/usage/apply-usage.ts'
import type { Counters } from '../../shared/usage/counters.ts'

export type UsagePorts = { counters: Counters; log: Log; now(): Date }

/** Counts the records of a Kinesis batch. If the records of a shard cannot be counted, all of them are requested again. */
export const usageHandler =
  (ports: UsagePorts) =>
  async ({ Records }: KinesisStreamEvent): Promise<KinesisStreamBatchResponse> => {
    const shards = Object.entries(Object.groupBy(Records, shardOf))
    const failures = await Promise.all(shards.map(([shard, records = []]) => failureOf(ports, shard, records)))
    return { batchItemFailures: failures.filter((failure) => failure !== undefined) }
  }

async function failureOf(
  ports: UsagePorts,
  shard: string,
  records: KinesisStreamRecord[],
): Promise<{ itemIdentifier: string } | undefined> {
  try {
    const placed = records.map(({ kinesis }) => ({ sequence: kinesis.sequenceNumber, data: Buffer.from(kinesis.data, 'base64') }))
    await applyUsage(ports, { shard, records: placed })
    return undefined
  } catch (error) {
    ports.log.error({ shard, records: records.length, error }, 'usage batch failed')
    return { itemIdentifier: records[0]?.kinesis.sequenceNumber ?? '' }
  }
}

/** `shardId-000000000006:49590338271490256608559692538361571095921575989136588898` */
const shardOf = ({ eventID }: KinesisStreamRecord): string => eventID.slice(0, eventID.lastIndexOf(':'))
