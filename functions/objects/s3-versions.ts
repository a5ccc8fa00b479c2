import {
  type DeleteMarkerEntry,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3'

/** The versions of deleted objects that a bucket still keeps. */
export type ObjectVersions = {
  /**
   * Makes the objects under a prefix readable again that were deleted at or after a time. `readable` is the number of objects that can be
   * read then, `undeleted` those of them that could not be read before.
   */
  undelete(prefix: string, since: Date): Promise<{ readable: number; undeleted: number }>
}

export function s3Versions(s3: S3Client, bucket: string): ObjectVersions {
  return {
    async undelete(prefix, since) {
      const versioned = new Set<string>()
      const deleted = new Set<string>()
      const markers: DeleteMarkerEntry[] = []
      for await (const { Versions = [], DeleteMarkers = [] } of pages(s3, bucket, prefix)) {
        for (const { Key = '' } of Versions) versioned.add(Key)
        for (const marker of DeleteMarkers) {
          const isOlder = (marker.LastModified?.getTime() ?? 0) < since.getTime()
          if (isOlder && marker.IsLatest) versioned.delete(marker.Key ?? '')
          if (isOlder) continue
          markers.push(marker)
          if (marker.IsLatest) deleted.add(marker.Key ?? '')
        }
      }
      for (const { Key, VersionId } of markers) await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId }))
      return { readable: versioned.size, undeleted: [...deleted].filter((key) => versioned.has(key)).length }
    },
  }
}

async function* pages(s3: S3Client, Bucket: string, Prefix: string) {
  let next: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {}
  while (next) {
    const page: ListObjectVersionsCommandOutput = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix, ...next }))
    yield page
    next = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : undefined
  }
}
