import { production, recoveryDays } from './stage.ts'

type Rule = { prefix?: string; expiresDays: number }
type Kept = { rules?: Rule[]; versions?: boolean; derived?: string[] }

/**
 * A private, encrypted bucket. Objects under a rule's prefix expire. With `versions`, overwritten and deleted objects can be restored for
 * `recoveryDays`, those under the prefixes `derived`, which can be created again, for a day. Incomplete uploads are always removed.
 */
export function bucket(name: string, { rules = [], versions = false, derived = [] }: Kept): sst.aws.Bucket {
  const made = new sst.aws.Bucket(name, {
    cors: false,
    versioning: versions,
    transform: { bucket: { forceDestroy: !production } },
  })
  new aws.s3.BucketServerSideEncryptionConfiguration(`${name}Encryption`, {
    bucket: made.name,
    rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: 'AES256' } }],
  })
  new aws.s3.BucketLifecycleConfiguration(`${name}Lifecycle`, {
    bucket: made.name,
    rules: [
      {
        id: 'left-over',
        status: 'Enabled',
        filter: { prefix: '' },
        abortIncompleteMultipartUpload: { daysAfterInitiation: 2 },
        ...(versions && {
          noncurrentVersionExpiration: { noncurrentDays: recoveryDays },
          expiration: { expiredObjectDeleteMarker: true },
        }),
      },
      ...derived.map((prefix) => ({
        id: `derived-${prefix.replace('/', '')}`,
        status: 'Enabled',
        filter: { prefix },
        noncurrentVersionExpiration: { noncurrentDays: 1 },
      })),
      ...rules.map(({ prefix = '', expiresDays }) => ({
        id: `expire-${prefix.replace(/\/$/, '') || 'all'}`,
        status: 'Enabled',
        filter: { prefix },
        expiration: { days: expiresDays },
      })),
    ],
  })
  return made
}
