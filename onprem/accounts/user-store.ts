import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../shared/errors.ts'
import { transaction } from '../../shared/store/database.ts'
import type { Role } from './key-store.ts'
import type { User } from './user.ts'

type Changes = {
  username?: string | undefined
  role?: Role | undefined
  disabled?: boolean | undefined
  hash?: string | undefined
  /** Revokes all keys of the user. */
  revokeKeys?: boolean | undefined
}

/** `id` is not the secret that the cookie holds. */
export type UserSession = { id: string; createdAt: string; lastUsedAt: string; expiresAt: string; userAgent: string }

const maxAgentChars = 300

/** Users of an install. Disabling a user, deleting one or setting a new password ends all sessions of the user immediately. */
export type UserStore = {
  /** Oldest first. */
  list(): User[]
  count(): number
  find(id: string): User | undefined
  /** Returns the new id. Throws validation_error if the name is taken. */
  create(user: { username: string; role: Role; hash: string }): string
  /** Throws user_not_found; validation_error if the name is taken; forbidden if no admin would be left. */
  change(id: string, changes: Changes): void
  /** Removes the user with their sessions and keys. Throws user_not_found, and forbidden if no admin would be left. */
  remove(id: string): void
  /** The stored password hash. Throws user_not_found. */
  hashOf(id: string): string
  /** The same by user name; undefined if there is no such user. */
  hashOfName(username: string): string | undefined
  signedIn(id: string): void
  endSession(token: string): void
  /** The valid sessions of a user, last used first. */
  sessions(id: string): UserSession[]
  /** Ends a session of a user. Returns false if the user has none with this id. */
  endSessionOf(id: string, sessionId: string): boolean
  /** Stores the name that a browser sends, for the list of sessions. */
  nameSession(token: string, userAgent: string): void
  /** The user whose initial password was never changed. */
  initial(): { username: string; hash: string } | undefined
  /** Sets another initial password for that user and ends its sessions, or creates the user admin with it. */
  setInitial(hash: string): void
}

/**
 * Users in the tables that better-auth reads. The API of better-auth is not used, because it rejects a password as short as the initial
 * one. `onInitialChanged` is called when the initial password is no longer valid.
 */
export function sqliteUsers(db: DatabaseSync, now: () => Date, onInitialChanged: () => void = () => undefined): UserStore {
  const all = db.prepare(`SELECT ${columns} FROM users ORDER BY created_at, rowid`)
  const byId = db.prepare(`SELECT ${columns} FROM users WHERE id = ?`)
  const byName = db.prepare('SELECT id FROM users WHERE username = ?')
  const total = db.prepare('SELECT count(*) AS users FROM users')
  const insert = db.prepare(
    'INSERT INTO users (id, username, name, email, role, default_pair, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const insertAccount = db.prepare(
    "INSERT INTO accounts (id, account_id, provider_id, user_id, password, created_at, updated_at) VALUES (?, ?, 'credential', ?, ?, ?, ?)",
  )
  const rename = db.prepare('UPDATE users SET username = ?, name = ? WHERE id = ?')
  const setRole = db.prepare('UPDATE users SET role = ? WHERE id = ?')
  const setDisabled = db.prepare('UPDATE users SET banned = ? WHERE id = ?')
  const setHash = db.prepare('UPDATE accounts SET password = ?, updated_at = ? WHERE user_id = ?')
  const endDefault = db.prepare('UPDATE users SET default_pair = 0 WHERE id = ?')
  const endSessions = db.prepare('DELETE FROM sessions WHERE user_id = ?')
  const endOne = db.prepare('DELETE FROM sessions WHERE token = ?')
  const otherAdmins = db.prepare("SELECT 1 FROM users WHERE role = 'admin' AND banned = 0 AND id != ?")
  const remove = db.prepare('DELETE FROM users WHERE id = ?')
  const removeKeys = db.prepare('DELETE FROM keys WHERE user_id = ?')
  const hash = db.prepare('SELECT password FROM accounts WHERE user_id = ?')
  const sessionsOf = db.prepare(
    'SELECT id, created_at, updated_at, expires_at, user_agent FROM sessions WHERE user_id = ? AND expires_at > ? ORDER BY updated_at DESC',
  )
  const endOwn = db.prepare('DELETE FROM sessions WHERE user_id = ? AND id = ?')
  const setAgent = db.prepare('UPDATE sessions SET user_agent = ? WHERE token = ?')
  const touch = db.prepare('UPDATE users SET last_sign_in_at = ? WHERE id = ?')
  const expired = db.prepare('DELETE FROM sessions WHERE expires_at < ?')
  const unchanged = db.prepare(`SELECT ${columns} FROM users WHERE default_pair = 1`)

  const find = (id: string) => {
    const row = byId.get(id)
    return row === undefined ? undefined : toUser(row)
  }
  const known = (id: string): User => {
    const user = find(id)
    if (!user) throw new AppError('user_not_found', 'There is no user with this id.')
    return user
  }
  const requireOtherAdmin = ({ id, role, disabled }: User) => {
    if (role === 'admin' && !disabled && otherAdmins.get(id) === undefined)
      throw new AppError('forbidden', 'This is the last admin. Make another user an admin first.')
  }
  const rejectTakenName = (username: string, id?: string) => {
    const owner = byName.get(username)
    if (owner !== undefined && owner.id !== id) throw taken(username)
  }
  const add = (user: { username: string; role: Role; hash: string }, isFirst: boolean): string => {
    const id = randomUUID()
    const at = now().toISOString()
    insert.run(id, user.username, user.username, `${id}@users.invalid`, user.role, Number(isFirst), at, at)
    insertAccount.run(randomUUID(), id, id, user.hash, at, at)
    return id
  }
  return {
    list: () => all.all().map(toUser),
    count: () => Number(total.get()?.users),
    find,
    create: (user) =>
      transaction(db, () => {
        rejectTakenName(user.username)
        return add(user, false)
      }),
    change(id, { username, role, disabled, hash: password, revokeKeys }) {
      const wasInitial = password !== undefined && find(id)?.defaultPair === true
      transaction(db, () => {
        const user = known(id)
        if (disabled === true || (role !== undefined && role !== 'admin')) requireOtherAdmin(user)
        if (username !== undefined) {
          rejectTakenName(username, id)
          rename.run(username, username, id)
        }
        if (role !== undefined) setRole.run(role, id)
        if (disabled !== undefined) setDisabled.run(Number(disabled), id)
        if (password !== undefined) {
          setHash.run(password, now().toISOString(), id)
          endDefault.run(id)
        }
        if (disabled === true || password !== undefined) endSessions.run(id)
        if (revokeKeys === true) removeKeys.run(id)
      })
      if (wasInitial) onInitialChanged()
    },
    remove(id) {
      const wasInitial = find(id)?.defaultPair === true
      transaction(db, () => {
        requireOtherAdmin(known(id))
        remove.run(id)
      })
      if (wasInitial) onInitialChanged()
    },
    hashOf: (id) => String(hash.get(known(id).id)?.password),
    hashOfName(username) {
      const owner = byName.get(username.toLowerCase())
      return owner === undefined ? undefined : String(hash.get(String(owner.id))?.password)
    },
    endSession: (token) => void endOne.run(token),
    sessions: (id) => sessionsOf.all(id, now().toISOString()).map(toSession),
    endSessionOf: (id, sessionId) => Number(endOwn.run(id, sessionId).changes) > 0,
    nameSession: (token, userAgent) => void setAgent.run(userAgent.slice(0, maxAgentChars), token),
    signedIn(id) {
      const at = now().toISOString()
      touch.run(at, id)
      expired.run(at)
    },
    initial() {
      const row = unchanged.get()
      return row === undefined ? undefined : { username: String(row.username), hash: String(hash.get(String(row.id))?.password) }
    },
    setInitial: (password) =>
      transaction(db, () => {
        const user = unchanged.get()
        if (user === undefined) {
          if (all.get() === undefined) add({ username: 'admin', role: 'admin', hash: password }, true)
          return
        }
        setHash.run(password, now().toISOString(), String(user.id))
        endSessions.run(String(user.id))
      }),
  }
}

const taken = (username: string): AppError =>
  new AppError('validation_error', `The user name ${username} is taken. Choose another one.`, {
    fields: { fields: [{ path: 'username', message: 'is taken' }] },
  })

const columns = `id, username, role, banned AS disabled, default_pair AS defaultPair,
  created_at AS createdAt, last_sign_in_at AS lastSignInAt`

const toUser = (row: Record<string, unknown>): User => ({
  ...(row as User),
  disabled: row.disabled === 1,
  defaultPair: row.defaultPair === 1,
})

const toSession = (row: Record<string, unknown>): UserSession => ({
  id: String(row.id),
  createdAt: String(row.created_at),
  lastUsedAt: String(row.updated_at),
  expiresAt: String(row.expires_at),
  userAgent: String(row.user_agent ?? ''),
})
