import type { DatabaseSync } from 'node:sqlite'
import { type BetterAuthPlugin, betterAuth } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { admin } from 'better-auth/plugins/admin'
import { z } from 'zod'
import type { Log } from '../../shared/log.ts'

export type AuthPorts = { db: DatabaseSync; secret: string; log: Log }

/**
 * `secure` cookies are only sent over TLS, and cookies of a path only to paths below it. Browsers accept a cookie with the prefix `__Host-`
 * only from this very host, so another host of the domain cannot set one; such a cookie has no path.
 */
export type Cookies = { prefix: string; secure: boolean; path: string }

const daySeconds = 86_400
const sessionSeconds = 7 * daySeconds

/** The longest time that a session is valid. A clock that jumps by less than an hour ends none. */
export const maxSessionMs = (sessionSeconds + 3_600) * 1000

/**
 * Sessions in the tables of an install, for users whose password or issuer was checked before. The routes of better-auth are not mounted, so only the calls of `api` are reachable. Never call a
 * function of it that opens a transaction (sign-up does): writes of the rest of the server between its statements would join it.
 */
export function openAuth({ db, secret, log }: AuthPorts, cookies: Cookies) {
  const hostPrefix = cookies.secure && cookies.path === '/' ? '__Host-' : ''
  return betterAuth({
    baseURL: 'http://localhost',
    basePath: '/api/auth/session',
    secret,
    database: db,
    telemetry: { enabled: false },
    // Messages below the level error are about callers, and every request is logged already.
    logger: { level: 'error', log: (_level, detail) => log.error({ detail }, 'better-auth reported an error') },
    advanced: {
      cookiePrefix: hostPrefix + cookies.prefix,
      // This would add the prefix `__Secure-`.
      useSecureCookies: cookies.secure && hostPrefix === '',
      defaultCookieAttributes: { path: cookies.path, secure: cookies.secure },
      database: { validateSchema: false },
      ipAddress: { disableIpTracking: true },
    },
    session: {
      modelName: 'sessions',
      expiresIn: sessionSeconds,
      updateAge: daySeconds,
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    user: {
      modelName: 'users',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    account: {
      modelName: 'accounts',
      fields: {
        accountId: 'account_id',
        providerId: 'provider_id',
        userId: 'user_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    plugins: [
      beginSession,
      admin({
        defaultRole: 'member',
        schema: {
          user: { fields: { banReason: 'ban_reason', banExpires: 'ban_expires' } },
          session: { fields: { impersonatedBy: 'impersonated_by' } },
        },
      }),
    ],
  })
}

/** A session for a user who has signed in, however that was. */
const beginSession = {
  id: 'begin-session',
  endpoints: {
    beginSession: createAuthEndpoint({ method: 'POST', body: z.object({ userId: z.string() }) }, async (c) => {
      const user = await c.context.internalAdapter.findUserById(c.body.userId)
      if (!user) throw new APIError('UNAUTHORIZED')
      const session = await c.context.internalAdapter.createSession(user.id)
      await setSessionCookie(c, { session, user })
      return { id: session.id, token: session.token }
    }),
  },
} satisfies BetterAuthPlugin
