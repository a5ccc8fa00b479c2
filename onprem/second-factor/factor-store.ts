import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../shared/settings/secret-box.ts'
import { transaction } from '../../shared/store/database.ts'
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts'

export type AuthenticatorApp = { createdAt: string; lastUsedAt: string | null }

/** The second factors of users. A code is valid once: `use…` returns false for one that was used, also by a concurrent request. */
export type FactorStore = {
  app(userId: string): AuthenticatorApp | undefined
  /** The secret of the app, and the time step of the last code. Throws data_damaged if the secret cannot be decrypted. */
  appSecret(userId: string): { secret: string; lastStep: number } | undefined
  /** Replaces the app of the user. `step` is that of the code which has proved it. */
  setApp(userId: string, secret: string, step: number): void
  removeApp(userId: string): boolean
  /** The codes of a time step and of those before are then used. */
  useApp(userId: string, step: number): boolean
  recoveryCodes(userId: string): number
  /** New recovery codes, in plain text for the only time. The old ones are void. */
  renewRecoveryCodes(userId: string): string[]
  hasRecoveryCode(userId: string, code: string): boolean
  useRecoveryCode(userId: string, code: string): boolean
  /** Removes all factors and recovery codes of the user. */
  removeAll(userId: string): void
}

/** Factors in the database of the install. */
export function sqliteFactors(db: DatabaseSync, box: SecretBox, now: () => Date): FactorStore {
  const sql = statementsOf(db)
  const at = () => now().toISOString()
  const contextOf = (userId: string) => `authenticator app of ${userId}`
  return {
    app: (userId) => sql.app.get(userId) as AuthenticatorApp | undefined,
    appSecret(userId) {
      const row = sql.secret.get(userId)
      return row && { secret: box.open(String(row.secret), contextOf(userId)), lastStep: Number(row.last_step) }
    },
    setApp: (userId, secret, step) => void sql.setApp.run(userId, box.seal(secret, contextOf(userId)), step, at()),
    removeApp: (userId) => sql.removeApp.run(userId).changes > 0,
    useApp: (userId, step) => sql.useApp.run(step, at(), userId, step).changes > 0,
    recoveryCodes: (userId) => Number(sql.codes.get(userId)?.codes),
    renewRecoveryCodes: (userId) =>
      transaction(db, () => {
        const codes = newRecoveryCodes()
        sql.removeCodes.run(userId)
        for (const code of codes) sql.addCode.run(recoveryCodeHash(userId, code), userId)
        return codes
      }),
    hasRecoveryCode: (userId, code) => sql.code.get(recoveryCodeHash(userId, code), userId) !== undefined,
    useRecoveryCode: (userId, code) => sql.useCode.run(recoveryCodeHash(userId, code), userId).changes > 0,
    removeAll: (userId) =>
      transaction(db, () => {
        for (const each of [sql.removeApp, sql.removePasskeys, sql.removeCodes]) each.run(userId)
      }),
  }
}

const statementsOf = (db: DatabaseSync) => ({
  app: db.prepare('SELECT created_at AS createdAt, last_used_at AS lastUsedAt FROM authenticator_apps WHERE user_id = ?'),
  secret: db.prepare('SELECT secret, last_step FROM authenticator_apps WHERE user_id = ?'),
  setApp: db.prepare('INSERT OR REPLACE INTO authenticator_apps (user_id, secret, last_step, created_at) VALUES (?, ?, ?, ?)'),
  removeApp: db.prepare('DELETE FROM authenticator_apps WHERE user_id = ?'),
  useApp: db.prepare('UPDATE authenticator_apps SET last_step = ?, last_used_at = ? WHERE user_id = ? AND last_step < ?'),
  removePasskeys: db.prepare('DELETE FROM passkeys WHERE user_id = ?'),
  codes: db.prepare('SELECT count(*) AS codes FROM recovery_codes WHERE user_id = ?'),
  code: db.prepare('SELECT 1 FROM recovery_codes WHERE hash = ? AND user_id = ?'),
  addCode: db.prepare('INSERT INTO recovery_codes (hash, user_id) VALUES (?, ?)'),
  useCode: db.prepare('DELETE FROM recovery_codes WHERE hash = ? AND user_id = ?'),
  removeCodes: db.prepare('DELETE FROM recovery_codes WHERE user_id = ?'),
})
