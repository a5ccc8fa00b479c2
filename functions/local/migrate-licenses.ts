import type { DatabaseSync } from 'node:sqlite'
import type { License } from '../../shared/keys/license.ts'
import type { Licenses } from '../access/licenses.ts'

/** Copies the licenses and trusted keys that the command line stored before this data directory was first opened as a hosted half. Idempotent. */
export async function migrateLicenses(db: DatabaseSync, licenses: Licenses): Promise<void> {
  const issued = db.prepare(
    'SELECT id, customer, kind, expires_at AS expiresAt, teamspace, revoked_at AS revokedAt FROM licenses',
  )
  for (const { id, customer, kind, expiresAt, teamspace, revokedAt } of issued.all() as Issued[]) {
    await licenses.record({ id, customer, kind, expiresAt, ...(teamspace === null ? {} : { teamspace }) })
    if (revokedAt !== null) await licenses.revoke(id)
  }
  for (const { pem } of db.prepare('SELECT pem FROM trusted_license_keys').all()) await licenses.trust(String(pem))
}

type Issued = Pick<License, 'id' | 'customer' | 'kind' | 'expiresAt'> & { teamspace: string | null; revokedAt: string | null }
