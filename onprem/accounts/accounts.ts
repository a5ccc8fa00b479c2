import { AppError } from '../../shared/errors.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { checkTables } from '../../shared/store/database.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { asFullDisk } from '../../shared/system/full-disk.ts'
import type { AuthPorts } from './open-auth.ts'
import type { Passwords } from './passwords.ts'
import { sessionLimits } from './session-store.ts'
import { publicHash } from './user.ts'
import type { UserStore } from './user-store.ts'

/** The session of a signed-in user. */
export type Session = { id: string; userId: string; expiresAt: string }

/** If `secure`, cookies are marked so that browsers only send them over TLS. PUBLIC_URL takes precedence. */
export type RequestHeaders = { headers: Headers; secure: boolean }
/** `Set-Cookie` headers for the response. */
type SetCookies = string[]

/** A user whose password was compared, and the hash that it was compared with. */
export type PasswordProof = { userId: string; hash: string }

export type Accounts = {
  /** Begins no session. Throws invalid_api_key if the user name or password is wrong, forbidden if the user is disabled. */
  checkPassword(pair: { username: string; password: string }): Promise<PasswordProof>
  /**
   * Begins a session of a user who has signed in. Throws forbidden if the user is disabled, invalid_api_key if the password is no longer the
   * one with this `hash`.
   */
  beginSession(
    user: { userId: string; hash?: string },
    request: RequestHeaders,
  ): Promise<{ sessionId: string; cookies: SetCookies }>
  signOut(request: RequestHeaders): Promise<SetCookies>
  /**
   * The user of a session. Undefined without a valid session. `renew` extends a session that is at least a day old. With `watch`, the call does not
   * count as a use of the session.
   */
  session(
    request: RequestHeaders,
    options?: { renew?: boolean; watch?: boolean },
  ): Promise<(Session & { cookies: SetCookies }) | undefined>
}

const cookiePrefix = 'carrel'
export const sessionCookieName = `${cookiePrefix}.session_token`

type AccountsPorts = Omit<AuthPorts, 'secret'> & {
  secret(): string
  passwords: Pick<Passwords, 'verify'>
  users: UserStore
  settings: Pick<SettingsStore, 'get'>
  publicUrl?: PublicUrl | undefined
}

/** Loads better-auth at the first request that has a session or starts one. */
export function betterAuthAccounts({ users, settings, secret, publicUrl, passwords, ...ports }: AccountsPorts): Accounts {
  const hasHash = (userId: string, hash: string) => users.find(userId) !== undefined && users.hashOf(userId) === hash
  const open = async (secure: boolean) => {
    removeAuthVariables(process.env)
    const { maxSessionMs, openAuth } = await import('./open-auth.ts')
    const { api } = openAuth({ ...ports, secret: secret() }, { prefix: cookiePrefix, secure, path: publicUrl?.path || '/' })
    return { api, maxSessionMs }
  }
  const opened = new Map<boolean, ReturnType<typeof open>>()
  const auth = async (requestSecure: boolean) => {
    const secure = publicUrl?.url.startsWith('https:') ?? requestSecure
    const promised = opened.get(secure) ?? open(secure)
    opened.set(secure, promised)
    // The next request retries a failed load.
    return promised.catch((error: unknown) => {
      opened.delete(secure)
      throw withoutPath(error)
    })
  }
  /** better-auth hides the cause of a failure, so damage is checked for here. */
  const orDamage = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (!(error instanceof AppError)) checkTables(ports.db, ['users', 'accounts', 'sessions'])
      throw error
    })
  return {
    async checkPassword({ username, password }) {
      const user = users.findByName(username)
      const hash = user && users.hashOf(user.id)
      // A name that no user has takes as long.
      const isRight = await passwords.verify(password, hash ?? publicHash)
      if (user === undefined || hash === undefined || !isRight || !hasHash(user.id, hash)) throw wrongPair()
      if (users.find(user.id)?.disabled) throw disabled()
      return { userId: user.id, hash }
    },
    async beginSession({ userId, hash }, { headers: sent, secure }) {
      const { api } = await auth(secure)
      const { response, headers } = await orDamage(
        api.beginSession({ body: { userId }, returnHeaders: true }).catch(asSignInError),
      )
      if (hash !== undefined && !hasHash(userId, hash)) {
        // The password changed meanwhile. That ended every session except this one.
        users.endSession(response.token)
        throw wrongPair()
      }
      users.signedIn(userId)
      users.nameSession(response.token, sent.get('user-agent') ?? '')
      return { sessionId: response.id, cookies: headers.getSetCookie() }
    },
    async signOut({ headers, secure }) {
      if (!hasSession(headers)) return []
      const { api } = await auth(secure)
      return (await orDamage(api.signOut({ headers, returnHeaders: true }))).headers.getSetCookie()
    },
    async session({ headers, secure }, { renew = false, watch = false } = {}) {
      if (!hasSession(headers)) return undefined
      const { api, maxSessionMs } = await auth(secure)
      const answer = await orDamage(api.getSession({ headers, query: { disableRefresh: !renew }, returnHeaders: true }))
      if (!answer.response) return undefined
      const { id, userId, createdAt, updatedAt, expiresAt, token } = answer.response.session
      const { absoluteMs, idleMs } = sessionLimits(settings)
      const [ageMs, unusedMs] = [createdAt, updatedAt].map((time) => Date.now() - time.getTime()) as [number, number]
      if (ageMs >= absoluteMs || unusedMs >= idleMs) {
        users.endSession(token)
        return undefined
      }
      if (expiresAt.getTime() > Date.now() + maxSessionMs) {
        // It began when the clock was ahead, so it would be valid until that time comes.
        users.endSession(token)
        return undefined
      }
      if (!watch && unusedMs > Math.min(maxUnstoredMs, idleMs / 20)) ignoreFailure(() => users.useSession(token))
      const ends = new Date(Math.min(expiresAt.getTime(), createdAt.getTime() + absoluteMs))
      return { id, userId, expiresAt: ends.toISOString(), cookies: answer.headers.getSetCookie() }
    },
  }
}

/** A full disk or a busy database must not reject the caller. */
function ignoreFailure(write: () => void): void {
  try {
    write()
  } catch {}
}

/** A use is stored once an hour, or more often if the limit of unused time is short. */
const maxUnstoredMs = 3_600_000

/** better-auth prefers these variables to its options: another secret, foreign origins, telemetry. */
function removeAuthVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env))
    if (/^(NEXT_PUBLIC_|NUXT_PUBLIC_|PUBLIC_)?(BETTER_AUTH_|AUTH_SECRET$)/.test(name)) delete env[name]
}

/** A request without a session cookie does not load better-auth. */
const hasSession = (headers: Headers): boolean => headers.get('cookie')?.includes(`${sessionCookieName}=`) ?? false

function asSignInError(thrown: unknown): never {
  const status = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined
  if (status === 401) throw wrongPair(thrown)
  if (status === 403) throw disabled(thrown)
  throw asFullDisk(thrown)
}

const disabled = (cause?: unknown): AppError => new AppError('forbidden', 'This user is disabled; ask an admin.', { cause })

/** Does not reveal which of the two is wrong. */
const wrongPair = (cause?: unknown): AppError =>
  new AppError('invalid_api_key', 'The user name or the password is wrong.', { cause })

/** The paths of damaged files are for callers with a key or session. */
const withoutPath = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'data_damaged'
    ? new AppError('data_damaged', 'Files of the server are damaged. The log of the server names them.', { cause: error })
    : error
