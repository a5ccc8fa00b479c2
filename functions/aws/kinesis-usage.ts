import { KinesisClient, type KinesisClientConfig, ListShardsCommand, PutRecordCommand } from '@aws-sdk/client-kinesis'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { refusedEvent } from '../../shared/usage/refused-event.ts'
import type { UsageStream } from '../../shared/usage/usage-stream.ts'
import { partitionKey } from '../counting/partition-key.ts'

/** A client that tries once, over HTTP/1.1 with sockets that are kept: a container that was frozen loses no HTTP/2 session. */
export const kinesisClient = (config: KinesisClientConfig = {}): KinesisClient =>
  new KinesisClient({ requestHandler: new NodeHttpHandler({ connectionTimeout: 1000 }), ...config, maxAttempts: 1 })

const warmMs = 2000

export type KinesisUsage = UsageStream & {
  /** Opens a socket ahead, so that the first event of a container is not late. Never throws; needs kinesis:ListShards. */
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

/** Whether the stream said no, or nothing was sent at all. A server's failure or a broken connection may have come after the event was taken. */
function neverArrived(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('$fault' in error && error.$fault === 'client') return true
  return unreachable.has(error.name) || ('code' in error && unreachable.has(String(error.code)))
}
