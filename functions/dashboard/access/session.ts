import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import type { Sessions } from '../../access/sessions.ts'
import type { User, Users } from '../../access/users.ts'

/** A user, and the id of the session that the browser sent. */
export type SignedIn = { id: string; user: User }
export type SessionEnv = { Variables: { session: SignedIn | undefined } }
export type SessionPorts = { sessions: Pick<Sessions, 'find'>; users: Pick<Users, 'get'> }

/** Sets `session`; undefined if the browser sends no cookie of a session, or it has ended. */
export const identifySession = ({ sessions, users }: SessionPorts, url: string) =>
  createMiddleware<SessionEnv>(async (c, next) => {
    const token = getCookie(c, cookieName(url, 'session'))
    const found = token === undefined ? undefined : await sessions.find(token)
    const user = found && (await users.get(found.user))
    c.set('session', user && { id: found.id, user })
    await next()
  })

/** Sets a cookie that scripts cannot read, and that links from other sites send, but not their forms. */
export const setOwnCookie = (c: Context, url: string, name: string, value: string, expires: Date): void =>
  setCookie(c, cookieName(url, name), value, { ...attributes(url), expires })

export const ownCookie = (c: Context, url: string, name: string): string | undefined => getCookie(c, cookieName(url, name))

export function removeOwnCookie(c: Context, url: string, name: string): void {
  deleteCookie(c, cookieName(url, name), attributes(url))
}

/** Browsers accept the prefix only over https: it proves that no other host and no path has set the cookie. */
export const cookieName = (url: string, name: string): string => `${isSecure(url) ? '__Host-' : ''}carrel-${name}`

const attributes = (url: string) => ({ path: '/', httpOnly: true, secure: isSecure(url), sameSite: 'Lax' }) as const

const isSecure = (url: string): boolean => url.startsWith('https:')
