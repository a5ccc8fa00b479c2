import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../shared/errors.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { transaction } from '../../shared/store/database.ts'

/** A local group. Only the groups of issuers have a `:` in their name, so that an issuer cannot put anybody into a local one. */
export const GroupName = shortText(100)
  .regex(/^[a-z0-9][a-z0-9._-]*$/i, 'must consist of letters, digits and . _ - and begin with a letter or digit')
  .transform((name) => name.toLowerCase())
  .describe('Letters, digits and . _ -; case is ignored')

export type Group = {
  name: string
  /** The issuer that tells its members; empty for a local group. */
  issuer: string
  members: number
}

/** The members of a group with very many people. */
export const maxMembers = 10_000

/** Groups of users. A deleted user leaves all groups. */
export type GroupStore = {
  /** All groups, ordered by name. */
  list(): Group[]
  /** The ids of the members. Throws not_found. */
  members(name: string): string[]
  /** The names of the groups of a user. The same set until groups change; callers must not modify it. */
  groupsOf(userId: string): ReadonlySet<string>
  /** Creates a local group. Throws validation_error if there is one with this name. */
  create(name: string): void
  /** Removes a local group. Throws not_found. */
  remove(name: string): void
  /** Replaces the members of a local group. Throws not_found, user_not_found. */
  setMembers(name: string, userIds: readonly string[]): void
  /** Replaces the groups that an issuer has told of a user, who has no other. They are called `issuer:name`, whatever characters the name has. */
  setFromIssuer(userId: string, issuer: string, names: readonly string[]): void
  /** Reads all groups again, after something else has changed them. */
  refresh(): void
}

/** Users whose groups are kept in memory. */
const maxUsers = 1_000

export function sqliteGroups(db: DatabaseSync): GroupStore {
  const local = db.prepare(
    "SELECT name, '' AS issuer, (SELECT count(*) FROM group_members WHERE group_name = name) AS members FROM groups",
  )
  const issued = db.prepare(
    `SELECT group_name AS name, issuer, count(*) AS members FROM group_members WHERE issuer <> '' GROUP BY group_name, issuer
     UNION ALL SELECT name, issuer, 0 FROM scim_groups WHERE name NOT IN (SELECT group_name FROM group_members)`,
  )
  const exists = db.prepare('SELECT 1 FROM groups WHERE name = ?')
  const isProvisioned = db.prepare('SELECT 1 FROM scim_groups WHERE name = ?')
  const insert = db.prepare('INSERT INTO groups (name) VALUES (?)')
  const removeGroup = db.prepare('DELETE FROM groups WHERE name = ?')
  const ofGroup = db.prepare('SELECT user_id AS id FROM group_members WHERE group_name = ? ORDER BY user_id')
  const ofUser = db.prepare('SELECT group_name AS name FROM group_members WHERE user_id = ?')
  const leave = db.prepare('DELETE FROM group_members WHERE group_name = ?')
  const leaveIssuers = db.prepare("DELETE FROM group_members WHERE user_id = ? AND issuer <> ''")
  const join = db.prepare('INSERT OR IGNORE INTO group_members (user_id, group_name, issuer) VALUES (?, ?, ?)')
  const isUser = db.prepare('SELECT 1 FROM users WHERE id = ?')
  // Differs when another connection has changed the database.
  const version = db.prepare('PRAGMA data_version')
  const groups = new Map<string, ReadonlySet<string>>()
  let groupsAt: unknown
  const write = (work: () => void) => {
    transaction(db, work)
    groups.clear()
  }
  const requireGroup = (name: string) => {
    if (!exists.get(name)) throw new AppError('not_found', `There is no group ${name} in this install.`)
  }
  return {
    list: () =>
      ([...local.all(), ...issued.all()] as Group[]).map((row) => ({ ...row })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    members(name) {
      const ids = ofGroup.all(name).map(({ id }) => String(id))
      if (ids.length === 0 && !isProvisioned.get(name)) requireGroup(name)
      return ids
    },
    groupsOf(userId) {
      const { data_version: now } = { ...version.get() }
      if (groupsAt !== now) groups.clear()
      groupsAt = now
      const known = groups.get(userId)
      if (known) return known
      const names = new Set(ofUser.all(userId).map(({ name }) => String(name)))
      if (groups.size >= maxUsers) groups.clear()
      groups.set(userId, names)
      return names
    },
    create: (name) =>
      write(() => {
        if (exists.get(name)) throw new AppError('validation_error', `The group ${name} exists already.`)
        insert.run(name)
      }),
    remove: (name) =>
      write(() => {
        requireGroup(name)
        leave.run(name)
        removeGroup.run(name)
      }),
    setMembers: (name, userIds) =>
      write(() => {
        requireGroup(name)
        leave.run(name)
        for (const id of userIds) {
          if (!isUser.get(id)) throw new AppError('user_not_found', `There is no user with the id ${id}.`)
          join.run(id, name, '')
        }
      }),
    setFromIssuer: (userId, issuer, names) =>
      write(() => {
        leaveIssuers.run(userId)
        for (const name of names) join.run(userId, `${issuer}:${name}`, issuer)
      }),
    refresh: () => groups.clear(),
  }
}
