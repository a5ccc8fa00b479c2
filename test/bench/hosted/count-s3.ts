import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { buildApp } from 'fauxqs'

export type CountedS3 = {
  /** An address for LanceDB. */
  address: string
  /** Counts requests by method and response bytes during `work`. */
  count(work: () => Promise<unknown>): Promise<{ requests: Record<string, number>; answeredBytes: number }>
  close(): Promise<void>
}

/** An S3 emulator in this process. LanceDB, in the same process, finds it through environment variables. */
export async function countedS3(): Promise<CountedS3> {
  const app = buildApp({ logger: false })
  let seen: { method: string; bytes: number }[] = []
  // Runs before the handler, which may respond immediately.
  app.server.prependListener('request', ({ method = '', socket }, outgoing) => {
    const entry = { method, bytes: 0 }
    seen.push(entry)
    const before = socket.bytesWritten
    outgoing.once('close', () => {
      entry.bytes = socket.bytesWritten - before
    })
  })
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 })
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' }
  const s3 = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
  await s3.send(new CreateBucketCommand({ Bucket: 'content' }))
  s3.destroy()
  Object.assign(process.env, {
    AWS_ENDPOINT: endpoint,
    AWS_ALLOW_HTTP: 'true',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  })
  return {
    address: 's3://content/snippets',
    async count(work) {
      seen = []
      await work()
      const requests = Object.entries(Object.groupBy(seen, ({ method }) => method)).map(([method, all = []]) => [
        method,
        all.length,
      ])
      return { requests: Object.fromEntries(requests), answeredBytes: seen.reduce((sum, { bytes }) => sum + bytes, 0) }
    },
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}
