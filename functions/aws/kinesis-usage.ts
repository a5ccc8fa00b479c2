import { KinesisClient, type KinesisClientConfig, ListShardsCommand, PutRecordCommand } from '@aws-sdk/client-kinesis'
import { refusedEvent, type UsageStream } from '../../shared/usage/usage-stream.ts'
import { partitionKey } from '../counting/partition-key.ts'
import { clientOptions, quickMs } from './client-options.ts'
import { traced } from './tracer.ts'

/** A client without retries, over HTTP/1.1 with keep-alive: a frozen container would lose an HTTP/2 session. */
export const kinesisClient = (config: KinesisClientConfig = {}): KinesisClient =>
  traced(new KinesisClient({ ...clientOptions(quickMs, 1), ...config }))

const warmMs = 2000

export type KinesisUsage = UsageStream & {
  /** Opens a socket, so that the first event of a container is not late. Never throws; needs kinesis:ListShards. */
  warm(): Promise<void>
}

export const kinesisUsage = ({ client, streamName }: { client: KinesisClient; streamName: string }): KinesisUsage => ({
  async put(event, signal) {
    const command = new PutRecordCommand({
      StreamName: streamName,
      PartitionKey: partitionKey(event),
      Data: Buffer.from(JSON.stringify(event)),
    })
    try {
      await client.send(command, { abortSignal: signal })
    } catch (error) {
      throw neverArrived(error) ? refusedEvent(error) : error
    }
  },
  async warm() {
    const command = new ListShardsCommand({ StreamName: streamName, MaxResults: 1 })
    await client.send(command, { abortSignal: AbortSignal.timeout(warmMs) }).catch(() => {})
  },
})

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'CredentialsProviderError'])

/**
 * True if the stream rejected the event or nothing was sent. After a server error or a broken connection the event may be on the
 * stream.
 */
function neverArrived(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('$fault' in error && error.$fault === 'client') return true
  return unreachable.has(error.name) || ('code' in error && unreachable.has(String(error.code)))
}
