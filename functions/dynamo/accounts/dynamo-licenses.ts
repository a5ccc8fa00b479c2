import { createHash } from 'node:crypto'
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { readPublicKey } from '../../../shared/keys/key-pair.ts'
import { openPolicy, type Policy } from '../../../shared/policy/policy.ts'
import { applyChange } from '../../../shared/policy/policy-change.ts'
import type { LicenseRecord, Licenses } from '../../access/licenses.ts'
import { type ItemKey, readItem, readItemsUnder } from '../read-items.ts'
import type { Table } from '../table.ts'
import { changeItem } from './change-item.ts'
import { teamPart } from './team-items.ts'

export function dynamoLicenses({ table, now }: { table: Table; now(): Date }): Licenses {
  const { db, name: TableName } = table

  const write = (Item: Record<string, unknown>) => db.send(new PutCommand({ TableName, Item }))

  return {
    async record({ id, customer, kind, expiresAt, teamspace }, team) {
      // The teamspace's list is written first, so that the deletion of the teamspace finds every license.
      if (team !== undefined) await write(issuedKey(team, id))
      const issuedAt = now().toISOString()
      await write({ ...licenseKey(id), customer, kind, validUntil: expiresAt, teamspace, team, issuedAt })
    },

    async find(id) {
      const item = await readItem(table, licenseKey(id))
      if (item === undefined) return undefined
      const { customer, kind, validUntil, teamspace } = item
      return { id, customer, kind, expiresAt: validUntil, teamspace } as LicenseRecord
    },

    async revoke(id) {
      await db.send(
        new UpdateCommand({
          TableName,
          Key: revokedKey(id),
          UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :now)',
          ExpressionAttributeValues: { ':now': now().toISOString() },
        }),
      )
    },

    isRevoked: async (id) => (await readItem(table, revokedKey(id))) !== undefined,

    async issuedTo(team) {
      const items = await readItemsUnder(table, issuedKey(team, ''))
      return items.map(({ sk }) => String(sk).slice('LICENSE#'.length))
    },

    async forget(id, team) {
      for (const Key of [policyKey(id), licenseKey(id), issuedKey(team, id)]) await db.send(new DeleteCommand({ TableName, Key }))
    },

    async trust(publicPem) {
      const pem = readPublicKey(publicPem)
      if (pem === undefined) throw new AppError('validation_error', 'Only an Ed25519 public key in PEM can be trusted.')
      const sk = createHash('sha256').update(pem).digest('hex')
      await db.send(new PutCommand({ TableName, Item: { pk: 'LICENSE_KEYS', sk, pem, trustedAt: now().toISOString() } }))
    },

    async trustedKeys() {
      return (await readItemsUnder(table, { pk: 'LICENSE_KEYS', sk: '' })).map(({ pem }) => String(pem))
    },

    policy: async (id) => ((await readItem(table, policyKey(id)))?.policy as Policy | undefined) ?? openPolicy(),

    changePolicy(id, change, check) {
      const apply = (stored = openPolicy()) => {
        check?.(stored)
        return applyChange(stored, change)
      }
      return changeItem<Policy>(table, { key: policyKey(id), attribute: 'policy', at: now().toISOString(), change: apply })
    },
  }
}

const licenseKey = (id: string): ItemKey => ({ pk: `LICENSE#${id}`, sk: 'LICENSE' })
const revokedKey = (id: string): ItemKey => ({ pk: `REVOKED#${id}`, sk: 'LICENSE' })
const policyKey = (id: string): ItemKey => ({ pk: `POLICY#${id}`, sk: 'POLICY' })
const issuedKey = (team: string, id: string): ItemKey => ({ pk: teamPart(team), sk: `LICENSE#${id}` })
