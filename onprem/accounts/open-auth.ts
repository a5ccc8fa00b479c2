import type { DatabaseSync } from 'node:sqlite'
import { betterAuth } from 'better-auth'
import { admin } from 'better-auth/plugins/admin'
import { username } from 'better-auth/plugins/username'
import type { Log } from '../../shared/log.ts'
import type { Passwords } from './passwords.ts'

export type AuthPorts = { db: DatabaseSync; secret: string; passwords: Passwords; log: Log }

/** Cookies of a connection by TLS are marked so that they are sent by no other. */
export type Cookies = { prefix: string; secure: boolean }

const daySeconds = 86_400

/**
 * Sessions over the tables of an install. None of its routes is mounted: only what is called of `api` can be reached. Of that, nothing
 * may be called that opens a transaction (a sign-up does): between its statements it would take in what the rest of the server writes.
 */
export function openAuth({ db, secret, passwords, log }: AuthPorts, cookies: Cookies) {
  return betterAuth({
    baseURL: 'http://localhost',
    basePath: '/api/auth/session',
    secret,
    database: db,
    telemetry: { enabled: false },
    // What it has to say below an error is about callers, and every request has its line already.
    logger: { level: 'error', log: (_level, detail) => log.error({ detail }, 'sessions: something failed') },
    advanced: {
      cookiePrefix: cookies.prefix,
      useSecureCookies: cookies.secure,
      database: { validateSchema: false },
      ipAddress: { disableIpTracking: true },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: { hash: passwords.hash, verify: ({ password, hash }) => passwords.verify(password, hash) },
    },
    session: {
      modelName: 'sessions',
      expiresIn: 7 * daySeconds,
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
      // What a name may be was checked when its user was made.
      username({ minUsernameLength: 1, maxUsernameLength: 64, usernameValidator: () => true, displayUsername: false }),
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
