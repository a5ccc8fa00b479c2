import { bucket } from './bucket.ts'
import { production, recoveryDays, restoredTable } from './stage.ts'

/** The table holds everything except the salts. */
export const table = restoredTable
  ? sst.aws.Dynamo.get('Table', restoredTable)
  : new sst.aws.Dynamo('Table', {
      fields: { pk: 'string', sk: 'string' },
      primaryIndex: { hashKey: 'pk', rangeKey: 'sk' },
      ttl: 'expiresAt',
      deletionProtection: production,
      transform: { table: { pointInTimeRecovery: { enabled: true, recoveryPeriodInDays: recoveryDays } } },
    })

/**
 * The salts of user keys. A salt reveals every address of its day, so this table cannot be restored, and it is deleted with its stage even
 * if the rest is retained.
 */
export const salts = new sst.aws.Dynamo('Salts', {
  fields: { pk: 'string' },
  primaryIndex: { hashKey: 'pk' },
  ttl: 'expiresAt',
  transform: {
    table: (args, opts) => {
      args.pointInTimeRecovery = { enabled: false }
      opts.retainOnDelete = false
    },
  },
})

/** LanceDB's tables and the catalog's snapshot, which no rule may expire, and uploads, which a job reads once; those that were started are copied if they are used. */
export const content = bucket('Content', {
  versions: true,
  derived: ['catalog/'],
  rules: [
    { prefix: 'uploads/', expiresDays: 7 },
    { prefix: 'uploads/started/', expiresDays: 1 },
  ],
})

/** Exports and zips, which can be created again. */
export const exported = bucket('Exports', {
  rules: [
    { prefix: 'exports/', expiresDays: 30 },
    { prefix: 'bundles/', expiresDays: 7 },
  ],
})

/** Usage records that the consumer could not count within the stream's record age, kept for a replay. */
export const failedUsage = bucket('FailedUsage', { rules: [{ expiresDays: 35 }] })
