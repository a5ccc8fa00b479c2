import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { buildApp } from 'fauxqs'

export type EmulatedS3 = {
  /** An address for LanceDB. */
  address: string
  endpoint: string
  close(): Promise<void>
}

/** An S3 emulator in this process. LanceDB, in the same process, finds it through environment variables. */
export async function emulatedS3(): Promise<EmulatedS3> {
  const app = buildApp({ logger: false })
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
    endpoint,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}
