import { Readable } from 'node:stream'
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { contentDisposition } from './content-disposition.ts'
import { checkObjectKey, type ObjectStore, type UploadLinks } from './object-store.ts'

/** An upload has at most two parts in memory. */
const partBytes = 8 * 2 ** 20
const partsAtOnce = 2

/**
 * Objects in a bucket. A client that signs links for uploads computes checksums only if they are required: it would sign that of an empty
 * body. The role also needs s3:ListBucket: without it S3 returns 403 for a missing object.
 */
export function s3Objects(s3: S3Client, bucket: string): ObjectStore & UploadLinks {
  const at = (key: string) => ({ Bucket: bucket, Key: checkObjectKey(key) })
  return {
    async put(key, body, contentType) {
      const upload = new Upload({
        client: s3,
        params: { ...at(key), Body: body, ContentType: contentType },
        partSize: partBytes,
        queueSize: partsAtOnce,
      })
      await upload.done()
    },

    async get(key) {
      const response = await s3.send(new GetObjectCommand(at(key))).catch(unlessAbsent)
      const { ContentLength: sizeBytes = 0, Body } = response ?? {}
      return Body instanceof Readable ? { sizeBytes, body: Body } : undefined
    },

    async remove(key) {
      await s3.send(new DeleteObjectCommand(at(key)))
    },

    async *keys(prefix) {
      for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix: prefix }))
        for (const { Key } of Contents) if (Key !== undefined) yield Key
    },

    downloadUrl: (key, fileName, expiresS) =>
      getSignedUrl(s3, new GetObjectCommand({ ...at(key), ResponseContentDisposition: contentDisposition(fileName) }), {
        expiresIn: expiresS,
      }),

    uploadUrl: (key, sizeBytes, expiresS) =>
      getSignedUrl(s3, new PutObjectCommand({ ...at(key), ContentLength: sizeBytes }), { expiresIn: expiresS }),
  }
}

/** A missing bucket is an error, unlike a missing object. */
function unlessAbsent(error: unknown): undefined {
  if ((error as { name?: string }).name === 'NoSuchKey') return undefined
  throw error
}
