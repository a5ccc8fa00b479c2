import { DeleteObjectCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3'
import { mockClient } from 'aws-sdk-client-mock'
import { expect, onTestFinished, test } from 'vitest'
import { s3Versions } from '../../../functions/objects/s3-versions.ts'

const at = (time: string) => new Date(`2026-11-20T${time}:00Z`)

test('objects that were deleted since a time can be read again, and those that were deleted earlier stay deleted', async () => {
  const mock = mockClient(S3Client)
  onTestFinished(() => mock.restore())
  const marker = (Key: string, VersionId: string, time: string, IsLatest = true) => ({
    Key,
    VersionId,
    LastModified: at(time),
    IsLatest,
  })
  mock
    .on(ListObjectVersionsCommand)
    .resolvesOnce({
      Versions: ['g1/kept', 'g1/twice', 'g1/old'].map((Key) => ({ Key })),
      DeleteMarkers: [marker('g1/twice', '2', '12:00'), marker('g1/twice', '1', '11:00', false)],
      IsTruncated: true,
      NextKeyMarker: 'g1/twice',
      NextVersionIdMarker: '1',
    })
    .resolvesOnce({
      Versions: [{ Key: 'g1/late' }],
      DeleteMarkers: [marker('g1/late', '3', '10:00'), marker('g1/old', '4', '09:59'), marker('g1/gone', '5', '12:00')],
    })
  const restored = await s3Versions(new S3Client({ region: 'us-east-1' }), 'content').undelete('g1', at('10:00'))
  expect(restored).toEqual({ readable: 3, undeleted: 2 })
  const removed = mock.commandCalls(DeleteObjectCommand).map(({ args }) => `${args[0].input.Key} ${args[0].input.VersionId}`)
  expect(removed).toEqual(['g1/twice 2', 'g1/twice 1', 'g1/late 3', 'g1/gone 5'])
  expect(mock.commandCalls(ListObjectVersionsCommand)[1]?.args[0].input).toMatchObject({
    KeyMarker: 'g1/twice',
    VersionIdMarker: '1',
  })
})
