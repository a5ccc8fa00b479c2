import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/** A user whom an issuer has provisioned. `id` is the one that the issuer knows, `userId` that of the user. */
export type ProvisionedUser = {
  id: string
  userId: string
  userName: string
  externalId: string | null
  active: boolean
  createdAt: string
  changedAt: string
}

type Names = { userName: string; externalId: string | null }

/** Provisioned users with this value; `none` is a value that is not stored. */
export type UserCondition = { field: 'id' | 'userName' | 'externalId' | 'none'; value: string }

/** The claim of a token that names a person. */
export type PersonClaim = { issuer: string; claim: string; value: string }

/** The users that issuers provision by SCIM. An issuer is known by its address here, and sees only its own people. */
export type ProvisionedUsers = {
  /** Oldest first. */
  page(
    issuer: string,
    conditions: readonly UserCondition[],
    skip: number,
    limit: number,
  ): { users: ProvisionedUser[]; total: number }
  find(issuer: string, id: string): ProvisionedUser | undefined
  ofUser(userId: string): ProvisionedUser | undefined
  /** The ids of the users of these provisioned ones, by their ids. Others are left out. */
  userIds(issuer: string, ids: readonly string[]): Map<string, string>
  /** Returns the new id. */
  add(issuer: string, userId: string, names: Names): string
  change(id: string, names: Names): void
  /** Gives what was provisioned to another user. */
  move(id: string, userId: string): void
  /** Remembers by which claim an issuer could provision a person who has signed in. */
  noteClaim(userId: string, claim: PersonClaim): void
  /** The user whose person had this claim at the last sign-in. */
  userOfClaim(claim: PersonClaim): string | undefined
  claimOf(userId: string): PersonClaim | undefined
}

const columns = { id: 'scim_users.id', userName: 'user_name', externalId: 'external_id', none: 'NULL' }

export function sqliteProvisionedUsers(db: DatabaseSync, now: () => Date): ProvisionedUsers {
  const byId = db.prepare(`${select} WHERE issuer = ? AND scim_users.id = ?`)
  const byUser = db.prepare(`${select} WHERE user_id = ?`)
  const among = db.prepare(
    'SELECT id, user_id AS userId FROM scim_users WHERE issuer = ? AND id IN (SELECT value FROM json_each(?))',
  )
  const insert = db.prepare('INSERT INTO scim_users VALUES (?, ?, ?, ?, ?, ?, ?)')
  const update = db.prepare('UPDATE scim_users SET user_name = ?, external_id = ?, changed_at = ? WHERE id = ?')
  const setUser = db.prepare('UPDATE scim_users SET user_id = ?, changed_at = ? WHERE id = ?')
  const putClaim = db.prepare('INSERT OR REPLACE INTO issuer_claims (user_id, issuer, claim, value) VALUES (?, ?, ?, ?)')
  const byClaim = db.prepare('SELECT user_id AS id FROM issuer_claims WHERE issuer = ? AND claim = ? AND value = ?')
  const claim = db.prepare('SELECT issuer, claim, value FROM issuer_claims WHERE user_id = ?')
  const time = () => now().toISOString()
  return {
    page(issuer, conditions, skip, limit) {
      const terms = conditions.map(({ field }) => `${columns[field]} = ?`)
      const where = ['issuer = ?', ...terms].join(' AND ')
      // Without conditions the rows are read in their order, instead of sorting all of them for each page.
      const ordered = terms.length === 0 ? '+issuer = ?' : where
      const values = [issuer, ...conditions.map(({ value }) => value)]
      const total = db.prepare(`SELECT count(*) AS users FROM scim_users WHERE ${where}`).get(...values)?.users
      const rows = db.prepare(`${select} WHERE ${ordered} ORDER BY scim_users.rowid LIMIT ? OFFSET ?`).all(...values, limit, skip)
      return { users: rows.map(toUser), total: Number(total) }
    },
    find: (issuer, id) => orNone(byId.get(issuer, id)),
    ofUser: (userId) => orNone(byUser.get(userId)),
    userIds: (issuer, ids) => new Map(among.all(issuer, JSON.stringify(ids)).map((row) => [String(row.id), String(row.userId)])),
    add(issuer, userId, { userName, externalId }) {
      const id = randomUUID()
      insert.run(id, userId, issuer, userName, externalId, time(), time())
      return id
    },
    change: (id, { userName, externalId }) => void update.run(userName, externalId, time(), id),
    move: (id, userId) => void setUser.run(userId, time(), id),
    noteClaim: (userId, { issuer, claim: name, value }) => void putClaim.run(userId, issuer, name, value),
    userOfClaim({ issuer, claim: name, value }) {
      const row = byClaim.get(issuer, name, value)
      return row && String(row.id)
    },
    claimOf(userId) {
      const row = claim.get(userId)
      return row && ({ ...row } as PersonClaim)
    },
  }
}

const select = `SELECT scim_users.id, user_id AS userId, user_name AS userName, external_id AS externalId, banned = 0 AS active,
  scim_users.created_at AS createdAt, changed_at AS changedAt FROM scim_users JOIN users ON users.id = user_id`

const toUser = (row: Record<string, unknown>): ProvisionedUser => ({ ...(row as ProvisionedUser), active: row.active === 1 })

const orNone = (row: Record<string, unknown> | undefined): ProvisionedUser | undefined => row && toUser(row)
