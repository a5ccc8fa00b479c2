import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { readPublicKey } from '../../../shared/keys/key-pair.ts'
import { openPolicy, type Policy } from '../../../shared/policy/policy.ts'
import { applyChange } from '../../../shared/policy/policy-change.ts'
import type { LicenseRecord, Licenses } from '../../access/licenses.ts'
import { readItem, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'

/** Time for retries when several requests change a policy. An API on AWS responds within 29 seconds. */
const maxRetryMs = 15_000
const maxPauseMs = 500

export function dynamoLicenses({ table, now }: { table: Table; now(): Date }): Licenses {
  const { db, name: TableName } = table

  async function storedPolicy(id: string): Promise<{ policy: Policy; version: number }> {
    const item = await readItem(table, { pk: part(id), sk: 'POLICY' })
    return item === undefined ? { policy: openPolicy(), version: 0 } : (item as { policy: Policy; version: number })
  }

  return {
    async record({ id, customer, kind, expiresAt, teamspace }) {
      const values = { customer, kind, expiresAt, teamspace: teamspace ?? null, issuedAt: now().toISOString() }
      await db.send(
        new UpdateCommand({
          TableName,
          Key: { pk: part(id), sk: 'LICENSE' },
          UpdateExpression: `SET ${Object.keys(values).map((name) => `#${name} = :${name}`)}`,
          ExpressionAttributeNames: Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
        }),
      )
    },

    async find(id) {
      const item = await readItem(table, { pk: part(id), sk: 'LICENSE' })
      if (item === undefined) return undefined
      const { customer, kind, expiresAt, teamspace } = item
      return { id, customer, kind, expiresAt, teamspace: teamspace ?? undefined, revoked: 'revokedAt' in item } as LicenseRecord
    },

    revoke: (id) =>
      tryWrite(
        db.send(
          new UpdateCommand({
            TableName,
            Key: { pk: part(id), sk: 'LICENSE' },
            UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :now)',
            ConditionExpression: 'attribute_exists(pk)',
            ExpressionAttributeValues: { ':now': now().toISOString() },
          }),
        ),
      ),

    async trust(publicPem) {
      const pem = readPublicKey(publicPem)
      if (pem === undefined) throw new AppError('validation_error', 'Only an Ed25519 public key in PEM can be trusted.')
      const sk = createHash('sha256').update(pem).digest('hex')
      await db.send(new PutCommand({ TableName, Item: { pk: 'LICENSE_KEYS', sk, pem, trustedAt: now().toISOString() } }))
    },

    async trustedKeys() {
      return (await readItemsUnder(table, { pk: 'LICENSE_KEYS', sk: '' })).map(({ pem }) => String(pem))
    },

    policy: async (id) => (await storedPolicy(id)).policy,

    async changePolicy(id, change, check) {
      const endAt = performance.now() + maxRetryMs
      for (let tries = 0; performance.now() < endAt; tries++) {
        if (tries > 0) await sleep(Math.random() * Math.min(maxPauseMs, 5 * 2 ** tries))
        const { policy, version } = await storedPolicy(id)
        check?.(policy)
        const changed = applyChange(policy, change)
        const put = new PutCommand({
          TableName,
          Item: { pk: part(id), sk: 'POLICY', policy: changed, version: version + 1, changedAt: now().toISOString() },
          ConditionExpression: 'attribute_not_exists(pk) OR version = :read',
          ExpressionAttributeValues: { ':read': version },
        })
        if (await tryWrite(db.send(put))) return changed
      }
      throw new AppError('temporarily_unavailable', 'Too many requests change this policy at the same time. Try again.', {
        retry: 'limited',
        retryAfterMs: 1_000,
      })
    },
  }
}

const part = (id: string): string => `LICENSE#${id}`
