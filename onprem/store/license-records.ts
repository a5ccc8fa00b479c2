import type { DatabaseSync } from 'node:sqlite'
import type { License } from '../../shared/keys/license.ts'

/** The licenses that this install issued, and the keys whose licenses it trusts. */
export type LicenseRecords = {
  /** Stores an issued license, so that it can be revoked. */
  record(license: License): void
  /** False if this install issued no license with this id. */
  revoke(id: string): boolean
  isRevoked(id: string): boolean
  /** Trusts the licenses of another development install. */
  trust(publicPem: string): void
  trustedKeys(): string[]
}

export function sqliteLicenses(db: DatabaseSync, now: () => Date): LicenseRecords {
  const insert = db.prepare('INSERT INTO licenses (id, customer, kind, expires_at, teamspace) VALUES (?, ?, ?, ?, ?)')
  const revoke = db.prepare('UPDATE licenses SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?')
  const revoked = db.prepare('SELECT 1 FROM licenses WHERE id = ? AND revoked_at IS NOT NULL')
  const trust = db.prepare('INSERT OR IGNORE INTO trusted_license_keys (pem) VALUES (?)')
  const trusted = db.prepare('SELECT pem FROM trusted_license_keys ORDER BY rowid')
  return {
    record({ id, customer, kind, expiresAt, teamspace }) {
      insert.run(id, customer, kind, expiresAt, teamspace ?? null)
    },
    revoke: (id) => revoke.run(now().toISOString(), id).changes > 0,
    isRevoked: (id) => revoked.get(id) !== undefined,
    trust(publicPem) {
      trust.run(publicPem)
    },
    trustedKeys: () => trusted.all().map((row) => String(row.pem)),
  }
}
