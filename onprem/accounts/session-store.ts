import type { DatabaseSync } from 'node:sqlite'
import type { SettingsStore } from '../../shared/store/settings-store.ts'

/** `id` is not the secret that the cookie holds. */
export type UserSession = { id: string; createdAt: string; lastUsedAt: string; expiresAt: string; userAgent: string }

export type SessionStore = {
  signedIn(id: string): void
  endSession(token: string): void
  /** The valid sessions of a user, last used first. */
  sessions(id: string): UserSession[]
  /** Ends all sessions of a user, except the one with this id. */
  endSessionsOf(id: string, exceptSession?: string): void
  /** Ends a session of a user. Returns false if the user has none with this id. */
  endSessionOf(id: string, sessionId: string): boolean
  /** Stores the name that a browser sends, for the list of sessions. */
  nameSession(token: string, userAgent: string): void
  /** Stores that a session was used now. */
  useSession(token: string): void
  /** Ends the sessions that are older, or unused for longer, than these limits. */
  endOldSessions(limits: SessionLimits): void
}

/** Milliseconds after which a session ends: since its sign-in, and since its last use. */
export type SessionLimits = { absoluteMs: number; idleMs: number }

const hourMs = 3_600_000

export function sessionLimits({ get }: Pick<SettingsStore, 'get'>): SessionLimits {
  const absoluteHours = get('sessions.absoluteHours')
  return {
    absoluteMs: absoluteHours === 0 ? Number.POSITIVE_INFINITY : absoluteHours * hourMs,
    idleMs: get('sessions.idleHours') * hourMs,
  }
}

const maxAgentChars = 300

/** The sessions of users, in the table that better-auth writes. */
export function sqliteSessions(db: DatabaseSync, now: () => Date): SessionStore {
  const touch = db.prepare('UPDATE users SET last_sign_in_at = ? WHERE id = ?')
  const expired = db.prepare('DELETE FROM sessions WHERE expires_at < ?')
  const endOne = db.prepare('DELETE FROM sessions WHERE token = ?')
  const sessionsOf = db.prepare(
    'SELECT id, created_at, updated_at, expires_at, user_agent FROM sessions WHERE user_id = ? AND expires_at > ? ORDER BY updated_at DESC',
  )
  const endAll = db.prepare('DELETE FROM sessions WHERE user_id = ? AND id <> ?')
  const endOwn = db.prepare('DELETE FROM sessions WHERE user_id = ? AND id = ?')
  const setAgent = db.prepare('UPDATE sessions SET user_agent = ? WHERE token = ?')
  const setUsed = db.prepare('UPDATE sessions SET updated_at = ? WHERE token = ?')
  const endOld = db.prepare('DELETE FROM sessions WHERE created_at < ? OR updated_at < ?')
  const before = (ms: number) => new Date(Math.max(0, now().getTime() - ms)).toISOString()
  return {
    signedIn(id) {
      const at = now().toISOString()
      touch.run(at, id)
      expired.run(at)
    },
    endSession: (token) => void endOne.run(token),
    sessions: (id) => sessionsOf.all(id, now().toISOString()).map(toSession),
    endSessionsOf: (id, exceptSession = '') => void endAll.run(id, exceptSession),
    endSessionOf: (id, sessionId) => Number(endOwn.run(id, sessionId).changes) > 0,
    useSession: (token) => void setUsed.run(now().toISOString(), token),
    endOldSessions: ({ absoluteMs, idleMs }) => void endOld.run(before(absoluteMs), before(idleMs)),
    nameSession: (token, userAgent) => void setAgent.run(userAgent.slice(0, maxAgentChars), token),
  }
}

const toSession = (row: Record<string, unknown>): UserSession => ({
  id: String(row.id),
  createdAt: String(row.created_at),
  lastUsedAt: String(row.updated_at),
  expiresAt: String(row.expires_at),
  userAgent: String(row.user_agent ?? ''),
})
