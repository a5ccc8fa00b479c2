import { randomInt, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../shared/errors.ts'
import { transaction } from '../../shared/store/database.ts'
import type { Role } from './key-store.ts'
import { type SessionStore, sqliteSessions } from './session-store.ts'
import type { User } from './user.ts'

/** A person as an issuer of single sign-on knows one. */
type IssuerAccount = { issuer: string; sub: string }

type NewUser = { username: string; role: Role; hash: string; mustChangePassword?: boolean }

type Changes = {
  username?: string | undefined
  role?: Role | undefined
  disabled?: boolean | undefined
  /** With `disabled`: the issuer of the user says so, which enables nobody whom an admin has disabled. */
  byIssuer?: boolean | undefined
  hash?: string | undefined
  /** With `hash`: someone else set the password, so the user has to choose another one. */
  mustChangePassword?: boolean | undefined
  /** Revokes all keys of the user, and the access of MCP clients. */
  revokeKeys?: boolean | undefined
}

type UserStoreOptions = { onInitialChanged?(): void; signsIn?(issuer: string | null): boolean }

/** Users of an install. Disabling a user, deleting one or setting a new password ends all sessions of the user immediately. */
export type UserStore = SessionStore & {
  /** Oldest first. */
  list(): User[]
  count(): number
  find(id: string): User | undefined
  /** Returns the new id. Throws validation_error if the name is taken. */
  create(user: NewUser): string
  /** The user of a person who signs in at an issuer. */
  findByIssuer(issuer: string, sub: string): User | undefined
  /** Creates the user of such a person, without a password. A name that is taken gets a number. Returns the new id. */
  createForIssuer(user: { username: string; role: Role } & IssuerAccount): string
  /** Creates a user for somebody who has not signed in yet. Returns the new id. */
  createUnbound(user: { username: string; role: Role }): string
  /** Gives such a user to a person. Returns false if the user has an account already. */
  bind(id: string, account: IssuerAccount): boolean
  /** True if the user has a password or signs in at an issuer. */
  isBound(id: string): boolean
  /** Gives the user another name; one that is taken gets a number. */
  renameAsFree(id: string, username: string): void
  /** Throws user_not_found; validation_error if the name is taken, or for the password of a user of an issuer; forbidden if no admin would be left. */
  change(id: string, changes: Changes): void
  /** Removes the user with their sessions and keys. Throws user_not_found, and forbidden if no admin would be left. */
  remove(id: string): void
  /** The stored password hash. Throws user_not_found, and forbidden for a user of an issuer, who has none. */
  hashOf(id: string): string
  /** The same by user name; undefined if there is no such user. */
  hashOfName(username: string): string | undefined
  /** The user with a password who has this name. */
  findByName(username: string): User | undefined
  /** The user whose initial password was never changed. */
  initial(): { username: string; hash: string } | undefined
  /** Sets another initial password for that user and ends its sessions, or creates the user admin with it. */
  setInitial(hash: string): void
}

/**
 * Users in the tables that better-auth reads. The API of better-auth is not used, because it rejects a password as short as the initial
 * one. `onInitialChanged` is called when the initial password is no longer valid. `signsIn` tells whether users of an issuer, or those with a
 * password (null), can sign in at present: others do not count as admins who are left.
 */
export function sqliteUsers(
  db: DatabaseSync,
  now: () => Date,
  { onInitialChanged = () => undefined, signsIn = () => true }: UserStoreOptions = {},
): UserStore {
  const sql = statementsOf(db)
  const find = (id: string) => {
    const row = sql.byId.get(id)
    return row === undefined ? undefined : toUser(row)
  }
  const existing = (id: string): User => {
    const user = find(id)
    if (!user) throw new AppError('user_not_found', 'There is no user with this id.')
    return user
  }
  const findByName = (username: string) => {
    const owner = sql.byName.get(username.toLowerCase())
    const user = owner && find(String(owner.id))
    return user?.issuer === null ? user : undefined
  }
  const requireOtherAdmin = ({ id, role, disabled }: User) => {
    if (role !== 'admin' || disabled) return
    const isLeft = sql.otherAdmins.all(id).some(({ issuer }) => signsIn(issuer as string | null))
    if (!isLeft) throw new AppError('forbidden', 'This is the last admin. Make another user an admin first.')
  }
  const rejectTakenName = (username: string, id?: string) => {
    const owner = sql.byName.get(username)
    if (owner !== undefined && owner.id !== id) throw taken(username)
  }
  const bind = (id: string, { issuer, sub }: IssuerAccount) =>
    sql.insertIssuerAccount.run(randomUUID(), sub, issuer, id, now().toISOString(), now().toISOString())
  const apply = (user: User, { username, role, disabled, byIssuer, hash, mustChangePassword, revokeKeys }: Changes) => {
    const { id } = user
    if (disabled === true || (role !== undefined && role !== 'admin')) requireOtherAdmin(user)
    if (username !== undefined) {
      rejectTakenName(username, id)
      sql.rename.run(username, username, id)
    }
    if (role !== undefined) sql.setRole.run(role, id)
    if (disabled !== undefined) {
      if (byIssuer !== true) sql.setDisabled.run(Number(disabled), id)
      else if (disabled) sql.disableByIssuer.run(id)
      else sql.enableByIssuer.run(id)
    }
    if (hash !== undefined) {
      if (user.issuer !== null) throw withoutPassword()
      sql.setHash.run(hash, now().toISOString(), id)
      sql.setPasswordState.run(Number(mustChangePassword === true), id)
    }
    if (disabled === true || hash !== undefined) sql.endSessions.run(id)
    if (revokeKeys === true) {
      sql.removeKeys.run(id)
      sql.removeGrants.run(id)
    }
  }
  return {
    ...sqliteSessions(db, now),
    ...initialUser(db, sql, now),
    list: () => sql.all.all().map(toUser),
    count: () => Number(sql.total.get()?.users),
    find,
    create: (user) =>
      transaction(db, () => {
        rejectTakenName(user.username)
        return add(sql, user, false, now())
      }),
    findByIssuer(issuer, sub) {
      const row = sql.byAccount.get(issuer, sub)
      return row === undefined ? undefined : find(String(row.id))
    },
    createForIssuer: ({ username, role, issuer, sub }) =>
      transaction(db, () => {
        const id = insertUser(sql, { username: freeName(sql, username), role }, [0, 0], now())
        bind(id, { issuer, sub })
        return id
      }),
    createUnbound: ({ username, role }) =>
      transaction(db, () => insertUser(sql, { username: freeName(sql, username), role }, [0, 0], now())),
    bind: (id, account) =>
      transaction(db, () => {
        if (sql.accountOf.get(existing(id).id) !== undefined) return false
        bind(id, account)
        return true
      }),
    isBound: (id) => sql.accountOf.get(id) !== undefined,
    renameAsFree: (id, username) =>
      transaction(db, () => {
        const before = existing(id).username
        if (before === username || /^-\d+$/.test(before.startsWith(username) ? before.slice(username.length) : '')) return
        const name = freeName(sql, username)
        sql.rename.run(name, name, id)
      }),
    change(id, changes) {
      const wasInitial = changes.hash !== undefined && find(id)?.defaultPair === true
      transaction(db, () => apply(existing(id), changes))
      if (wasInitial) onInitialChanged()
    },
    remove(id) {
      const wasInitial = find(id)?.defaultPair === true
      transaction(db, () => {
        requireOtherAdmin(existing(id))
        sql.remove.run(id)
      })
      if (wasInitial) onInitialChanged()
    },
    hashOf(id) {
      const { issuer } = existing(id)
      if (issuer !== null) throw withoutPassword()
      return String(sql.hash.get(id)?.password)
    },
    hashOfName(username) {
      const user = findByName(username)
      return user && String(sql.hash.get(user.id)?.password)
    },
    findByName,
  }
}

/** The user whose initial password was never changed. */
const initialUser = (db: DatabaseSync, sql: Statements, now: () => Date): Pick<UserStore, 'initial' | 'setInitial'> => ({
  initial() {
    const row = sql.unchanged.get()
    return row === undefined
      ? undefined
      : { username: String(row.username), hash: String(sql.hash.get(String(row.id))?.password) }
  },
  setInitial: (hash) =>
    transaction(db, () => {
      const user = sql.unchanged.get()
      if (user === undefined) {
        if (sql.all.get() === undefined) add(sql, { username: 'admin', role: 'admin', hash }, true, now())
        return
      }
      sql.setHash.run(hash, now().toISOString(), String(user.id))
      sql.endSessions.run(String(user.id))
    }),
})

function add(sql: Statements, user: NewUser, isInitial: boolean, now: Date): string {
  const at = now.toISOString()
  const id = insertUser(sql, user, [isInitial, user.mustChangePassword === true].map(Number), now)
  sql.insertAccount.run(randomUUID(), id, id, user.hash, at, at)
  return id
}

function insertUser(sql: Statements, { username, role }: Pick<NewUser, 'username' | 'role'>, flags: number[], now: Date): string {
  const id = randomUUID()
  const at = now.toISOString()
  sql.insert.run(id, username, username, `${id}@users.invalid`, role, ...flags, at, at)
  return id
}

/** People with the same name whose users are counted; the others get a random number. */
const maxCounted = 50
const maxNameLength = 64

/** `ann`, `ann-2`, `ann-3`, … */
function freeName(sql: Statements, username: string): string {
  for (let number = 1; ; number++) {
    const ending = `-${number <= maxCounted ? number : randomInt(maxCounted, 1e9)}`
    const name = number === 1 ? username : username.slice(0, maxNameLength - ending.length) + ending
    if (sql.byName.get(name) === undefined) return name
  }
}

const issuerColumn = `coalesce((SELECT provider_id FROM accounts WHERE user_id = users.id AND provider_id <> 'credential'),
  (SELECT issuer FROM scim_users WHERE user_id = users.id)) AS issuer`

const columns = `id, username, role, banned AS disabled, default_pair AS defaultPair, must_change_password AS mustChangePassword,
  created_at AS createdAt, last_sign_in_at AS lastSignInAt, ${issuerColumn},
  EXISTS (SELECT 1 FROM authenticator_apps WHERE user_id = users.id)
    OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = users.id) AS hasSecondFactor`

type Statements = ReturnType<typeof statementsOf>

const statementsOf = (db: DatabaseSync) => ({
  all: db.prepare(`SELECT ${columns} FROM users ORDER BY created_at, rowid`),
  byId: db.prepare(`SELECT ${columns} FROM users WHERE id = ?`),
  byName: db.prepare('SELECT id FROM users WHERE username = ?'),
  total: db.prepare('SELECT count(*) AS users FROM users'),
  insert: db.prepare(
    'INSERT INTO users (id, username, name, email, role, default_pair, must_change_password, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  ),
  insertAccount: db.prepare(
    "INSERT INTO accounts (id, account_id, provider_id, user_id, password, created_at, updated_at) VALUES (?, ?, 'credential', ?, ?, ?, ?)",
  ),
  insertIssuerAccount: db.prepare(
    'INSERT INTO accounts (id, account_id, provider_id, user_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  ),
  byAccount: db.prepare(
    "SELECT user_id AS id FROM accounts WHERE provider_id = ? AND account_id = ? AND provider_id <> 'credential'",
  ),
  rename: db.prepare('UPDATE users SET username = ?, name = ? WHERE id = ?'),
  setRole: db.prepare('UPDATE users SET role = ? WHERE id = ?'),
  setDisabled: db.prepare('UPDATE users SET banned = ?, ban_reason = NULL WHERE id = ?'),
  disableByIssuer: db.prepare("UPDATE users SET banned = 1, ban_reason = 'issuer' WHERE id = ? AND banned = 0"),
  enableByIssuer: db.prepare("UPDATE users SET banned = 0, ban_reason = NULL WHERE id = ? AND ban_reason = 'issuer'"),
  accountOf: db.prepare('SELECT 1 FROM accounts WHERE user_id = ?'),
  setHash: db.prepare("UPDATE accounts SET password = ?, updated_at = ? WHERE user_id = ? AND provider_id = 'credential'"),
  setPasswordState: db.prepare('UPDATE users SET default_pair = 0, must_change_password = ? WHERE id = ?'),
  endSessions: db.prepare('DELETE FROM sessions WHERE user_id = ?'),
  otherAdmins: db.prepare(`SELECT DISTINCT ${issuerColumn} FROM users WHERE role = 'admin' AND banned = 0 AND id != ?
     AND EXISTS (SELECT 1 FROM accounts WHERE user_id = users.id)`),
  remove: db.prepare('DELETE FROM users WHERE id = ?'),
  removeKeys: db.prepare('DELETE FROM keys WHERE user_id = ?'),
  removeGrants: db.prepare('DELETE FROM oauth_grants WHERE user_id = ?'),
  hash: db.prepare("SELECT password FROM accounts WHERE user_id = ? AND provider_id = 'credential'"),
  unchanged: db.prepare(`SELECT ${columns} FROM users WHERE default_pair = 1`),
})

const taken = (username: string): AppError =>
  new AppError('validation_error', `The user name ${username} is taken. Choose another one.`, {
    fields: { fields: [{ path: 'username', message: 'is taken' }] },
  })

const withoutPassword = (): AppError => new AppError('forbidden', 'This user signs in at an issuer and has no password here.')

const toUser = (row: Record<string, unknown>): User => ({
  ...(row as User),
  disabled: row.disabled === 1,
  defaultPair: row.defaultPair === 1,
  mustChangePassword: row.mustChangePassword === 1,
  hasSecondFactor: row.hasSecondFactor === 1,
})
