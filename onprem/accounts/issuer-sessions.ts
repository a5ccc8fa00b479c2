import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../shared/settings/secret-box.ts'

/** Sessions that began at an issuer, so that signing out ends the session there, too. */
export type IssuerSessions = {
  /** `issuer` is its name in the settings. A long token, of somebody with many groups, is not kept. */
  add(session: string, issuer: string, idToken: string): void
  find(session: string): { issuer: string; idToken: string | undefined } | undefined
}

/** It becomes a part of an address, which servers limit. */
const maxTokenChars = 4_000

/** A row ends with its session. */
export function sqliteIssuerSessions(db: DatabaseSync, box: SecretBox): IssuerSessions {
  const insert = db.prepare('INSERT OR REPLACE INTO issuer_sessions (session, issuer, token) VALUES (?, ?, ?)')
  const select = db.prepare('SELECT issuer, token FROM issuer_sessions WHERE session = ?')
  const contextOf = (session: string) => `token of session ${session}`
  return {
    add(session, issuer, idToken) {
      insert.run(session, issuer, idToken.length > maxTokenChars ? null : box.seal(idToken, contextOf(session)))
    },
    find(session) {
      const row = select.get(session) as { issuer: string; token: string | null } | undefined
      if (row === undefined) return undefined
      return { issuer: row.issuer, idToken: row.token === null ? undefined : box.open(row.token, contextOf(session)) }
    },
  }
}
