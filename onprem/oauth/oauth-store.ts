import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../shared/store/database.ts'

/** A program that asks for access in the name of a user. It has no secret: PKCE protects its codes. */
export type OauthClient = { id: string; name: string; redirectUris: string[]; byAdmin: boolean }

/** The access of a client in the name of a user. */
export type Grant = { id: string; userId: string; client: string; createdAt: string; lastUsedAt: string | null }

export type Tokens = { access: string; refresh: string; expiresSeconds: number }

export type OauthStore = {
  /** Undefined if there are too many clients that nobody has allowed yet. Those that an admin registers stay and do not count. */
  register(client: Omit<OauthClient, 'id'>): OauthClient | undefined
  client(id: string): OauthClient | undefined
  /** Begins a grant, with its first tokens. A user has 100 grants at most: the one that was not used for the longest time ends. */
  grant(input: { userId: string; client: OauthClient; resource: string }): { grantId: string; tokens: Tokens }
  /** The next tokens, for a refresh token that was not used before. One that was ends its grant, because somebody else has it, too. */
  refresh(token: string, clientId: string): { tokens: Tokens; resource: string } | undefined
  /** The user and client of a valid access token for this resource, unless the user is disabled. */
  find(token: string, resource: string): { grantId: string; userId: string; client: string } | undefined
  /** The grants of a user, newest first. */
  list(userId: string): Grant[]
  /** False if the user has no such grant. */
  end(userId: string, grantId: string): boolean
  /** Ends a grant, if there is one. */
  endGrant(grantId: string): void
  /** Ends the grant of an access or refresh token, if there is one. */
  endToken(token: string, clientId: string): void
}

/** Distinguishes an access token from a key. */
export const accessPrefix = 'carrel_at_'
const refreshPrefix = 'carrel_rt_'
const accessSeconds = 900
/** A client that is not used for so long signs in again. */
const refreshMs = 30 * 86_400_000
/** Then the user signs in again, so that the issuer decides again. */
const maxGrantMs = 90 * 86_400_000
/** A refresh token that was used longer ago is unknown, and so refused, too. */
const keepUsedMs = 86_400_000
/** Clients that have registered themselves and that nobody has allowed. */
const maxUnallowed = 1_000
const maxGrants = 100
const touchEveryMs = 60_000

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Clients, grants and hashes of tokens in the tables of an install. */
export function sqliteOauth(db: DatabaseSync, now: () => Date): OauthStore {
  const unallowed = 'by_admin = 0 AND id NOT IN (SELECT client_id FROM oauth_grants)'
  const countUnallowed = db.prepare(`SELECT count(*) AS clients FROM oauth_clients WHERE ${unallowed}`)
  const dropUnallowed = db.prepare(
    `DELETE FROM oauth_clients WHERE id =
     (SELECT id FROM oauth_clients WHERE created_at < ? AND ${unallowed} ORDER BY created_at LIMIT 1)`,
  )
  const insertClient = db.prepare(
    'INSERT INTO oauth_clients (id, name, redirect_uris, created_at, by_admin) VALUES (?, ?, ?, ?, ?)',
  )
  const selectClient = db.prepare('SELECT id, name, redirect_uris, by_admin FROM oauth_clients WHERE id = ?')
  const insertGrant = db.prepare(
    'INSERT INTO oauth_grants (id, user_id, client_id, client_name, resource, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const insertToken = db.prepare('INSERT INTO oauth_tokens (hash, grant_id, kind, expires_at) VALUES (?, ?, ?, ?)')
  const selectToken = db.prepare(
    `SELECT t.hash, t.used_at AS usedAt, t.expires_at AS expiresAt, g.id AS grantId, g.user_id AS userId, g.client_id AS clientId,
     g.client_name AS client, g.resource, g.created_at AS createdAt, g.last_used_at AS lastUsedAt, users.banned
     FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id JOIN users ON users.id = g.user_id WHERE t.hash = ? AND t.kind = ?`,
  )
  const useToken = db.prepare('UPDATE oauth_tokens SET used_at = ? WHERE hash = ?')
  const touch = db.prepare('UPDATE oauth_grants SET last_used_at = ? WHERE id = ?')
  const dropAccess = db.prepare("DELETE FROM oauth_tokens WHERE grant_id = ? AND kind = 'access'")
  const dropUsed = db.prepare('DELETE FROM oauth_tokens WHERE grant_id = ? AND used_at < ?')
  const dropExpired = db.prepare('DELETE FROM oauth_tokens WHERE expires_at < ?')
  const dropEmpty = db.prepare('DELETE FROM oauth_grants WHERE id NOT IN (SELECT grant_id FROM oauth_tokens)')
  const dropUnusedGrants = db.prepare(
    `DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants WHERE user_id = ?
     ORDER BY coalesce(last_used_at, created_at) DESC, rowid DESC LIMIT -1 OFFSET ?)`,
  )
  const listGrants = db.prepare(
    `SELECT id, user_id AS userId, client_name AS client, created_at AS createdAt, last_used_at AS lastUsedAt
     FROM oauth_grants WHERE user_id = ? ORDER BY created_at DESC, rowid DESC`,
  )
  const deleteOwn = db.prepare('DELETE FROM oauth_grants WHERE id = ? AND user_id = ?')
  const deleteGrant = db.prepare('DELETE FROM oauth_grants WHERE id = ?')

  type Row = {
    hash: string
    usedAt: string | null
    expiresAt: string
    grantId: string
    userId: string
    clientId: string
    client: string
    resource: string
    createdAt: string
    lastUsedAt: string | null
    banned: number
  }
  const rowOf = (token: string, kind: 'access' | 'refresh') => selectToken.get(hashOf(token), kind) as Row | undefined
  const isOver = ({ expiresAt, banned }: Row) => banned === 1 || expiresAt <= now().toISOString()

  function issue(grantId: string): Tokens {
    const access = accessPrefix + randomBytes(32).toString('base64url')
    const refresh = refreshPrefix + randomBytes(32).toString('base64url')
    const atMs = now().getTime()
    insertToken.run(hashOf(access), grantId, 'access', new Date(atMs + accessSeconds * 1000).toISOString())
    insertToken.run(hashOf(refresh), grantId, 'refresh', new Date(atMs + refreshMs).toISOString())
    return { access, refresh, expiresSeconds: accessSeconds }
  }

  return {
    register: ({ name, redirectUris, byAdmin }) =>
      transaction(db, () => {
        const at = now()
        // A client that was registered a moment ago has had no time to be allowed.
        if (!byAdmin && Number(countUnallowed.get()?.clients) >= maxUnallowed) {
          if (dropUnallowed.run(new Date(at.getTime() - 3_600_000).toISOString()).changes === 0) return undefined
        }
        const client = { id: randomUUID(), name, redirectUris, byAdmin }
        insertClient.run(client.id, name, JSON.stringify(redirectUris), at.toISOString(), Number(byAdmin))
        return client
      }),
    client(id) {
      const row = selectClient.get(id)
      return (
        row && {
          id,
          name: String(row.name),
          redirectUris: JSON.parse(String(row.redirect_uris)) as string[],
          byAdmin: row.by_admin === 1,
        }
      )
    },
    grant: ({ userId, client, resource }) =>
      transaction(db, () => {
        const at = now().toISOString()
        dropExpired.run(at)
        dropEmpty.run()
        const grantId = randomUUID()
        insertGrant.run(grantId, userId, client.id, client.name, resource, at)
        dropUnusedGrants.run(userId, maxGrants)
        return { grantId, tokens: issue(grantId) }
      }),
    refresh: (token, clientId) =>
      transaction(db, () => {
        const row = rowOf(token, 'refresh')
        if (row === undefined || row.clientId !== clientId) return undefined
        if (row.usedAt !== null) {
          deleteGrant.run(row.grantId)
          return undefined
        }
        const time = now()
        if (isOver(row) || time.getTime() - Date.parse(row.createdAt) > maxGrantMs) return undefined
        useToken.run(time.toISOString(), row.hash)
        dropUsed.run(row.grantId, new Date(time.getTime() - keepUsedMs).toISOString())
        dropAccess.run(row.grantId)
        return { tokens: issue(row.grantId), resource: row.resource }
      }),
    find(token, resource) {
      const row = rowOf(token, 'access')
      if (row === undefined || isOver(row) || row.resource !== resource) return undefined
      const time = now()
      if (row.lastUsedAt === null || time.getTime() - Date.parse(row.lastUsedAt) >= touchEveryMs)
        ignoreFailure(() => touch.run(time.toISOString(), row.grantId))
      return { grantId: row.grantId, userId: row.userId, client: row.client }
    },
    list: (userId) => listGrants.all(userId).map((row) => ({ ...row }) as Grant),
    end: (userId, grantId) => deleteOwn.run(grantId, userId).changes > 0,
    endGrant: (grantId) => void deleteGrant.run(grantId),
    endToken(token, clientId) {
      const row = rowOf(token, 'access') ?? rowOf(token, 'refresh')
      if (row?.clientId === clientId) deleteGrant.run(row.grantId)
    },
  }
}

/** The last use is informative: a full disk or a busy database must not reject the client. */
function ignoreFailure(write: () => void): void {
  try {
    write()
  } catch {}
}
