import { readdirSync } from 'node:fs'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { mockClient } from 'aws-sdk-client-mock'
import { expect, test } from 'vitest'
import { folderObjects } from '../../functions/objects/folder-objects.ts'
import { s3Objects } from '../../functions/objects/s3-objects.ts'
import { startS3, testS3 } from '../fixtures/s3.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { objectStoreContract } from './object-store.ts'

const noAddress = async () => 'http://127.0.0.1/'

objectStoreContract('a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'carrel-objects-'))
  return { objects: folderObjects(folder, noAddress), close: () => rm(folder, { recursive: true }) }
})

objectStoreContract('S3', async () => {
  const { s3, bucket, close } = await startS3()
  return { objects: s3Objects(s3, bucket), close }
})

test('a folder keeps no unfinished objects, and the service names their address', async () => {
  const folder = tempDir()
  const objects = folderObjects(
    folder,
    async (key, name, expiresS) => `http://127.0.0.1:4000/${key}?name=${name}&for=${expiresS}`,
  )
  await expect(objects.put('a', Readable.from(fails(), { objectMode: false }), 'text/plain')).rejects.toThrow('broken off')
  expect(readdirSync(folder, { recursive: true })).toEqual(['.unfinished'])
  const killed = join(folder, '.unfinished', 'left-by-a-killed-writer')
  await writeFile(killed, 'half')
  await utimes(killed, new Date(0), new Date(0))
  await objects.put('a', Buffer.from('x'), 'text/plain')
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['.unfinished', 'a'])
  expect(await objects.downloadUrl('bundles/1.zip', 'b.zip', 60)).toBe('http://127.0.0.1:4000/bundles/1.zip?name=b.zip&for=60')
})

test('an S3 download has the requested file name, whatever its characters', async () => {
  const { s3, bucket } = await testS3()
  const objects = s3Objects(s3, bucket)
  await objects.put('bundles/1.zip', Buffer.from('zip'), 'application/zip')
  const address = new URL(await objects.downloadUrl('bundles/1.zip', 'a "b"\r\n(ü).zip', 60))
  expect(address.searchParams.get('X-Amz-Expires')).toBe('60')
  expect(address.searchParams.get('response-content-disposition')).toBe(
    `attachment; filename="a__b______.zip"; filename*=UTF-8''a%20%22b%22%0D%0A%28%C3%BC%29.zip`,
  )
  expect(await (await fetch(address)).text()).toBe('zip')
})

test('an S3 upload has a signed size, and no checksum of an empty body', async () => {
  const { s3, bucket } = await testS3()
  const { credentials, endpoint, region } = s3.config
  const signing = new S3Client({
    credentials,
    ...(endpoint && { endpoint }),
    region,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  const objects = s3Objects(signing, bucket)
  const address = new URL(await objects.uploadUrl('uploads/started/a/1/file', 5, 900))
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    'X-Amz-Expires': '900',
    'X-Amz-SignedHeaders': 'content-length;host',
  })
  expect([...address.searchParams.keys()].filter((name) => name.includes('checksum'))).toEqual([])
  expect((await fetch(address, { method: 'PUT', body: 'words' })).status).toBe(200)
  const stored = await objects.get('uploads/started/a/1/file')
  expect([stored?.sizeBytes, stored && (await text(stored.body))]).toEqual([5, 'words'])
})

test('a failure of S3 is a failure, not a missing object', async () => {
  const mock = mockClient(S3Client)
  const objects = s3Objects(new S3Client({ region: 'us-east-1' }), 'objects')
  const says = (httpStatusCode: number, name: string) =>
    mock.on(GetObjectCommand).rejects(Object.assign(new Error(name), { name, $metadata: { httpStatusCode } }))
  says(404, 'NoSuchBucket')
  await expect(objects.get('a')).rejects.toThrow('NoSuchBucket')
  says(503, 'SlowDown')
  await expect(objects.get('a')).rejects.toThrow('SlowDown')
  mock.restore()
})

async function* fails() {
  yield Buffer.from('half')
  throw new Error('broken off')
}
