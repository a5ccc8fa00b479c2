import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { kinesisUsage } from '../../functions/aws/kinesis-usage.ts'
import { diskStream } from '../../functions/local/disk-stream.ts'
import { testKinesis } from '../fixtures/kinesis.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { usageStreamContract } from './usage-stream.ts'

usageStreamContract('a stream on disk', async () => {
  const stream = diskStream(join(tempDir(), 'usage.db'))
  onTestFinished(() => stream.close())
  return { stream, shards: async () => stream.shards.map((shard) => stream.read(shard, undefined, 1000)) }
})

usageStreamContract('Kinesis', async () => {
  const kinesis = await testKinesis()
  const { client, streamName } = kinesis
  return {
    stream: kinesisUsage({ client, streamName }),
    async shards() {
      const ids = (await kinesis.shards()).map(({ ShardId = '' }) => ShardId)
      const events = await Promise.all(ids.map(kinesis.lambdaEvent))
      return events.map(({ Records }) =>
        Records.map((record) => ({ sequence: record.kinesis.sequenceNumber, data: Buffer.from(record.kinesis.data, 'base64') })),
      )
    },
  }
})
