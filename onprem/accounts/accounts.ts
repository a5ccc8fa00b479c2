import { AppError } from '../../shared/errors.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { checkTables } from '../../shared/store/database.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { asFullDisk } from '../../shared/system/full-disk.ts'
import type { AuthPorts } from './open-auth.ts'
import { sessionLimits } from './session-store.ts'
import type { UserStore } from './user-store.ts'

/** The session of a signed-in user. */
export type Session = { id: string; userId: string; expiresAt: string }

/** If `secure`, cookies are marked so that browsers only send them over TLS. PUBLIC_URL takes precedence. */
export type RequestHeaders = { headers: Headers; secure: boolean }
/** `Set-Cookie` headers for the response. */
type SetCookies = string[]

export type Accounts = {
  /** `token` ends the session. Throws invalid_api_key if the user name or password is wrong, forbidden if the user is disabled. */
  signIn(
    pair: { username: string; password: string },
    request: RequestHeaders,
  ): Promise<{ userId: string; token: string; cookies: SetCookies }>
  /** Begins a session of a user who has signed in elsewhere. Throws forbidden if the user is disabled. */
  beginSession(userId: string, request: RequestHeaders): Promise<{ sessionId: string; cookies: SetCookies }>
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
  users: UserStore
  settings: Pick<SettingsStore, 'get'>
  publicUrl?: PublicUrl | undefined
}

/** Loads better-auth at the first request that has a session or starts one. */
export function betterAuthAccounts({ users, settings, secret, publicUrl, ...ports }: AccountsPorts): Accounts {
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
    async signIn(body, { headers: sent, secure }) {
      const { api } = await auth(secure)
      const before = users.hashOfName(body.username)
      const { response, headers } = await orDamage(api.signInUsername({ body, returnHeaders: true }).catch(asSignInError))
      if (users.hashOfName(body.username) !== before) {
        // The password changed during the comparison. That ended every session except this one.
        users.endSession(response.token)
        throw wrongPair()
      }
      users.signedIn(response.user.id)
      users.nameSession(response.token, sent.get('user-agent') ?? '')
      return { userId: response.user.id, token: response.token, cookies: headers.getSetCookie() }
    },
    async beginSession(userId, { headers: sent, secure }) {
      const { api } = await auth(secure)
      const { response, headers } = await orDamage(
        api.beginSession({ body: { userId }, returnHeaders: true }).catch(asSignInError),
      )
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
  // 422: no user name has this form.
  if (status === 401 || status === 422) throw wrongPair(thrown)
  if (status === 403) throw new AppError('forbidden', 'This user is disabled; ask an admin.', { cause: thrown })
  throw asFullDisk(thrown)
}

/** Does not reveal which of the two is wrong. */
const wrongPair = (cause?: unknown): AppError =>
  new AppError('invalid_api_key', 'The user name or the password is wrong.', { cause })

/** The paths of damaged files are for callers with a key or session. */
const withoutPath = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'data_damaged'
    ? new AppError('data_damaged', 'Files of the server are damaged. The log of the server names them.', { cause: error })
    : error
