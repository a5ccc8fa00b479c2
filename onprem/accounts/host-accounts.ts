import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../shared/store/database.ts'

/** The accounts of a user at git hosts, in small letters, by the name of the host in the settings. */
export type AccountsAtHosts = Readonly<Record<string, string>>

/** The accounts that users have at git hosts, as an admin has told. */
export type HostAccounts = {
  of(userId: string): AccountsAtHosts
  /** Replaces all of a user. */
  set(userId: string, accounts: AccountsAtHosts): void
}

export function sqliteHostAccounts(db: DatabaseSync): HostAccounts {
  const ofUser = db.prepare('SELECT host, account FROM host_accounts WHERE user_id = ? ORDER BY host')
  const removeAll = db.prepare('DELETE FROM host_accounts WHERE user_id = ?')
  const insert = db.prepare('INSERT INTO host_accounts (user_id, host, account) VALUES (?, ?, ?)')
  return {
    of: (userId) => Object.fromEntries(ofUser.all(userId).map(({ host, account }) => [String(host), String(account)])),
    set: (userId, accounts) =>
      transaction(db, () => {
        removeAll.run(userId)
        for (const [host, account] of Object.entries(accounts)) insert.run(userId, host, account.toLowerCase())
      }),
  }
}
