import { bucket } from './bucket.ts'
import { production } from './stage.ts'

/** Everything but the salts. Point-in-time recovery is on without an option. */
export const table = new sst.aws.Dynamo('Table', {
  fields: { pk: 'string', sk: 'string' },
  primaryIndex: { hashKey: 'pk', rangeKey: 'sk' },
  ttl: 'expiresAt',
  deletionProtection: production,
})

/**
 * The salts of user keys. Whoever holds one can find out every address behind its day, so nothing of this table can be restored, and it goes
 * with its stage even where the rest is retained.
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

/** LanceDB's tables and the catalog's snapshot: what no rule may expire. */
export const content = bucket('Content', { versions: true })

/** Exports and zips: each can be made again. */
export const exported = bucket('Exports', {
  rules: [
    { prefix: 'exports/', expiresDays: 30 },
    { prefix: 'bundles/', expiresDays: 7 },
  ],
})

/** Usage records that the consumer could not count within the stream's record age, kept for a replay. */
export const failedUsage = bucket('FailedUsage', { rules: [{ expiresDays: 35 }] })
