import { AppError } from '../../shared/errors.ts'
import { asFullDisk, checkTables } from '../../shared/store/database.ts'
import type { AuthPorts } from './open-auth.ts'
import type { UserStore } from './user-store.ts'

/** Somebody who is signed in. */
export type Session = { userId: string; expiresAt: string }

/** How a request came: by TLS, its cookies are sent by no other connection. */
export type RequestHeaders = { headers: Headers; secure: boolean }
/** `Set-Cookie` headers, to be sent with the answer. */
type SetCookies = string[]

export type Accounts = {
  /** Throws invalid_api_key where the pair is wrong, forbidden where the user is disabled. */
  signIn(pair: { username: string; password: string }, came: RequestHeaders): Promise<{ userId: string; cookies: SetCookies }>
  signOut(came: RequestHeaders): Promise<SetCookies>
  /** Undefined for nobody. `renew` prolongs a session that is a day old. */
  session(came: RequestHeaders, options?: { renew: boolean }): Promise<(Session & { cookies: SetCookies }) | undefined>
}

const cookiePrefix = 'carrel'
export const sessionCookieName = `${cookiePrefix}.session_token`

type AccountsPorts = Omit<AuthPorts, 'secret'> & { secret(): string; users: UserStore }

/** Loads better-auth at the first request that brings a session or asks for one. */
export function betterAuthAccounts({ users, secret, ...ports }: AccountsPorts): Accounts {
  const open = async (secure: boolean) => {
    withoutItsVariables(process.env)
    const { openAuth } = await import('./open-auth.ts')
    return openAuth({ ...ports, secret: secret() }, { prefix: cookiePrefix, secure })
  }
  const opened = new Map<boolean, ReturnType<typeof open>>()
  const auth = async (secure: boolean) => {
    const promised = opened.get(secure) ?? open(secure)
    opened.set(secure, promised)
    // What failed once is tried again by the next request.
    return promised.catch((error: unknown) => {
      opened.delete(secure)
      throw error
    })
  }
  /** better-auth hides why it failed. */
  const orDamage = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (!(error instanceof AppError)) checkTables(ports.db, ['users', 'accounts', 'sessions'])
      throw error
    })
  return {
    async signIn(body, { secure }) {
      const { api } = await auth(secure)
      const before = users.hashOfName(body.username)
      const { response, headers } = await orDamage(api.signInUsername({ body, returnHeaders: true }).catch(asRefusal))
      if (users.hashOfName(body.username) !== before) {
        // Changed while it was compared: who did so has ended every session but this one.
        users.endSession(response.token)
        throw wrongPair()
      }
      users.signedIn(response.user.id)
      return { userId: response.user.id, cookies: headers.getSetCookie() }
    },
    async signOut({ headers, secure }) {
      if (!bringsSession(headers)) return []
      const { api } = await auth(secure)
      return (await orDamage(api.signOut({ headers, returnHeaders: true }))).headers.getSetCookie()
    },
    async session({ headers, secure }, { renew } = { renew: false }) {
      if (!bringsSession(headers)) return undefined
      const { api } = await auth(secure)
      const answer = await orDamage(api.getSession({ headers, query: { disableRefresh: !renew }, returnHeaders: true }))
      if (!answer.response) return undefined
      const { userId, expiresAt } = answer.response.session
      return { userId, expiresAt: expiresAt.toISOString(), cookies: answer.headers.getSetCookie() }
    },
  }
}

/** It would heed them before what it is told here: another secret, foreign origins, and reports of its use. */
function withoutItsVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env))
    if (/^(NEXT_PUBLIC_|NUXT_PUBLIC_|PUBLIC_)?(BETTER_AUTH_|AUTH_SECRET$)/.test(name)) delete env[name]
}

/** A request without a cookie of ours costs nothing. */
const bringsSession = (headers: Headers): boolean => headers.get('cookie')?.includes(`${sessionCookieName}=`) ?? false

function asRefusal(thrown: unknown): never {
  const status = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined
  // 422: nobody's name looks like that.
  if (status === 401 || status === 422) throw wrongPair(thrown)
  if (status === 403) throw new AppError('forbidden', 'This user is disabled; ask an admin.', { cause: thrown })
  throw asFullDisk(thrown)
}

/** Never says which of the two was wrong. */
const wrongPair = (cause?: unknown): AppError =>
  new AppError('invalid_api_key', 'The user name or the password is wrong.', { cause })
