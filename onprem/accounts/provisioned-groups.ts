import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../shared/store/database.ts'

/** A group that an issuer has provisioned. Rules know it by `name`, the issuer by `id`. */
export type ProvisionedGroup = {
  id: string
  name: string
  displayName: string
  externalId: string | null
  members: number
  createdAt: string
  changedAt: string
}

/** The name of an issuer in the settings, which begins the names of its groups, and its address. */
export type GroupIssuer = { name: string; address: string }

type Names = { displayName: string; externalId: string | null }

/** Provisioned groups with this value, or with the member whose provisioned user has this id. */
export type GroupCondition = { field: 'id' | 'displayName' | 'externalId' | 'member'; value: string }

/** `all` of the members go first, if it is true; then these users leave and those join. */
export type MemberChange = { all: boolean; leave: readonly string[]; join: readonly string[] }

/** The groups that issuers tell by SCIM. */
export type ProvisionedGroups = {
  /** Oldest first. */
  page(
    issuer: GroupIssuer,
    conditions: readonly GroupCondition[],
    skip: number,
    limit: number,
  ): { groups: ProvisionedGroup[]; total: number }
  find(issuer: GroupIssuer, id: string): ProvisionedGroup | undefined
  /** Returns the new id. */
  add(issuer: GroupIssuer, names: Names): string
  /** Members stay in the group under its new name. */
  change(issuer: GroupIssuer, id: string, names: Names): void
  changeMembers(issuer: GroupIssuer, id: string, change: MemberChange): void
  /** Removes a group; rules that name it stay. */
  remove(id: string): void
  /** The provisioned users in each of these groups, by the ids of the groups. */
  membersOf(ids: readonly string[]): Map<string, { id: string; userName: string }[]>
  /** The provisioned groups of each of these users, by the ids of the users. */
  groupsOf(userIds: readonly string[]): Map<string, { id: string; displayName: string }[]>
  /** Puts a user into the groups of another one. */
  copyMemberships(fromUser: string, toUser: string): void
  /** Takes a user out of the groups that an issuer has told at a sign-in. */
  leaveOthers(userId: string): void
  /** Removes what an issuer of this name has told at sign-ins, or when it had another address or another name. */
  forgetOthers(issuer: GroupIssuer): void
  /** Makes the groups of an issuer of this name, which does not provision any more, ones that it tells at sign-ins. Their members stay until then. */
  becomeTold(issuerName: string): void
}

const columns = { id: 'id', displayName: 'display_name', externalId: 'external_id' }

/** `onChange` is called after each change. */
export function sqliteProvisionedGroups(db: DatabaseSync, now: () => Date, onChange: () => void): ProvisionedGroups {
  const byId = db.prepare(`${select} WHERE issuer = ? AND address = ? AND id = ?`)
  const insert = db.prepare('INSERT INTO scim_groups VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const update = db.prepare('UPDATE scim_groups SET display_name = ?, name = ?, external_id = ?, changed_at = ? WHERE id = ?')
  const touch = db.prepare('UPDATE scim_groups SET changed_at = ? WHERE id = ?')
  const rename = db.prepare('UPDATE OR REPLACE group_members SET group_name = ? WHERE group_name = ?')
  const leaveAll = db.prepare('DELETE FROM group_members WHERE group_name = ?')
  const leave = db.prepare('DELETE FROM group_members WHERE group_name = ? AND user_id = ?')
  const join = db.prepare('INSERT OR IGNORE INTO group_members (user_id, group_name, issuer) VALUES (?, ?, ?)')
  const nameOf = db.prepare('SELECT name FROM scim_groups WHERE id = ?')
  const removeGroup = db.prepare('DELETE FROM scim_groups WHERE id = ?')
  const members = db.prepare(
    `SELECT scim_groups.id AS groupId, scim_users.id, user_name AS userName FROM scim_groups
     JOIN group_members ON group_name = name JOIN scim_users ON scim_users.user_id = group_members.user_id
     WHERE scim_groups.id IN (SELECT value FROM json_each(?)) ORDER BY scim_users.rowid`,
  )
  const groups = db.prepare(
    `SELECT user_id AS userId, id, display_name AS displayName FROM group_members JOIN scim_groups ON name = group_name
     WHERE user_id IN (SELECT value FROM json_each(?)) ORDER BY name`,
  )
  const copy = db.prepare(
    `INSERT OR IGNORE INTO group_members (user_id, group_name, issuer)
     SELECT ?, group_name, issuer FROM group_members WHERE user_id = ?`,
  )
  const leaveTold = db.prepare(
    "DELETE FROM group_members WHERE user_id = ? AND issuer <> '' AND group_name NOT IN (SELECT name FROM scim_groups)",
  )
  const othersOf = db.prepare('SELECT id FROM scim_groups WHERE (issuer = ?) <> (address = ?)')
  const forgetProvisioned = db.prepare('DELETE FROM scim_groups WHERE issuer = ?')
  const forgetTold = db.prepare(
    'DELETE FROM group_members WHERE issuer = ? AND group_name NOT IN (SELECT name FROM scim_groups WHERE issuer = ?)',
  )
  const time = () => now().toISOString()
  const write = <T>(work: () => T): T => {
    const result = transaction(db, work)
    onChange()
    return result
  }
  const remove = (id: string) => {
    leaveAll.run(String(nameOf.get(id)?.name))
    removeGroup.run(id)
  }
  return {
    page({ name, address }, conditions, skip, limit) {
      const where = [
        'issuer = ?',
        'address = ?',
        ...conditions.map(({ field }) => (field === 'member' ? hasMember : `${columns[field]} = ?`)),
      ]
      const values = [name, address, ...conditions.map(({ value }) => value)]
      const total = db.prepare(`SELECT count(*) AS groups FROM scim_groups WHERE ${where.join(' AND ')}`).get(...values)?.groups
      const rows = db
        .prepare(`${select} WHERE ${where.join(' AND ')} ORDER BY rowid LIMIT ? OFFSET ?`)
        .all(...values, limit, skip)
      return { groups: rows.map((row) => ({ ...row }) as ProvisionedGroup), total: Number(total) }
    },
    find({ name, address }, id) {
      const row = byId.get(name, address, id)
      return row && ({ ...row } as ProvisionedGroup)
    },
    add: ({ name, address }, { displayName, externalId }) =>
      write(() => {
        const id = randomUUID()
        // A sign-in may have told of members of a group of this name, which are not those that the issuer provisions.
        leaveAll.run(`${name}:${displayName}`)
        insert.run(id, name, address, displayName, `${name}:${displayName}`, externalId, time(), time())
        return id
      }),
    change: (issuer, id, { displayName, externalId }) =>
      write(() => {
        const [before, after] = [String(nameOf.get(id)?.name), `${issuer.name}:${displayName}`]
        update.run(displayName, after, externalId, time(), id)
        if (before !== after) rename.run(after, before)
      }),
    changeMembers: (issuer, id, change) =>
      write(() => {
        const name = String(nameOf.get(id)?.name)
        if (change.all) leaveAll.run(name)
        for (const userId of change.leave) leave.run(name, userId)
        for (const userId of change.join) join.run(userId, name, issuer.name)
        touch.run(time(), id)
      }),
    remove: (id) => write(() => remove(id)),
    membersOf: (ids) =>
      grouped(members.all(JSON.stringify(ids)), 'groupId', ({ id, userName }) => ({
        id: String(id),
        userName: String(userName),
      })),
    groupsOf: (userIds) =>
      grouped(groups.all(JSON.stringify(userIds)), 'userId', ({ id, displayName }) => ({
        id: String(id),
        displayName: String(displayName),
      })),
    copyMemberships: (fromUser, toUser) => write(() => void copy.run(toUser, fromUser)),
    leaveOthers: (userId) => write(() => void leaveTold.run(userId)),
    becomeTold: (issuerName) => void forgetProvisioned.run(issuerName),
    forgetOthers: ({ name, address }) =>
      write(() => {
        for (const { id } of othersOf.all(name, address)) remove(String(id))
        forgetTold.run(name, name)
      }),
  }
}

const hasMember =
  'name IN (SELECT group_name FROM group_members JOIN scim_users ON scim_users.user_id = group_members.user_id WHERE scim_users.id = ?)'

const select = `SELECT id, name, display_name AS displayName, external_id AS externalId,
  (SELECT count(*) FROM group_members WHERE group_name = name) AS members, created_at AS createdAt, changed_at AS changedAt
  FROM scim_groups`

type Row = Record<string, unknown>

function grouped<T>(rows: readonly Row[], key: string, read: (row: Row) => T): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const of = String(row[key])
    const group = groups.get(of) ?? []
    group.push(read(row))
    groups.set(of, group)
  }
  return groups
}
