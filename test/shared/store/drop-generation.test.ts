import type { IncomingMessage } from 'node:http'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { buildApp } from 'fauxqs'
import { expect, onTestFinished, test } from 'vitest'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'

/** Counts the listings of a bucket with the empty tables `t0.lance` …, which LanceDB sees as tables. */
async function bucketWithTables(tables: number) {
  const app = buildApp({ logger: false })
  const listed: string[] = []
  app.server.prependListener('request', ({ method, url = '' }: IncomingMessage) => {
    const { searchParams } = new URL(url, 'http://bucket')
    if (method === 'GET' && searchParams.has('list-type')) listed.push(searchParams.get('prefix') ?? '')
  })
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 })
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const s3 = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
  await s3.send(new CreateBucketCommand({ Bucket: 'content' }))
  for (let n = 0; n < tables; n++)
    await s3.send(
      new PutObjectCommand({ Bucket: 'content', Key: `snippets/t${n}.lance/_versions/1.manifest`, Body: Buffer.alloc(1) }),
    )
  onTestFinished(async () => {
    s3.destroy()
    app.server.closeAllConnections()
    await app.close()
  })
  const storageOptions = {
    aws_endpoint: endpoint,
    allow_http: 'true',
    aws_region: 'us-east-1',
    aws_access_key_id: 'test',
    aws_secret_access_key: 'test',
  }
  const snippets = lanceSnippets('s3://content/snippets', { storageOptions })
  onTestFinished(() => snippets.close())
  return { snippets, listed }
}

test('dropping a generation lists only the folders of its two tables, however many others there are', async () => {
  const { snippets, listed } = await bucketWithTables(30)
  await snippets.drop('t7')
  const folders = new Set(listed.map((prefix) => prefix.replace(/\/$/, '')))
  expect(folders).toEqual(new Set(['snippets/__manifest/_versions', 'snippets/t7.statistics.lance', 'snippets/t7.lance']))
  expect(listed.length).toBeLessThanOrEqual(5)
  expect((await snippets.generations()).includes('t7')).toBe(false)
  expect((await snippets.generations()).length).toBe(29)
})

test('dropping a generation that is gone is not an error', async () => {
  const { snippets } = await bucketWithTables(1)
  await snippets.drop('gone')
  expect(await snippets.generations()).toEqual(['t0'])
})
