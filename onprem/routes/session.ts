import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'hono'
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { errors, json, type Operations } from '../../shared/api/operations.ts'
import { AppError } from '../../shared/errors.ts'
import { callerSignal } from '../../shared/http/caller-signal.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { unlessAborted } from '../../shared/time/unless-aborted.ts'
import type { CallerEnv } from '../access/caller.ts'
import { rejectForeignPage } from '../access/reject-foreign-page.ts'
import { clientAddress, proxyAddress } from '../accounts/client-address.ts'
import { isSecure } from '../accounts/is-own-origin.ts'
import { roles } from '../accounts/key-store.ts'
import { GivenPassword } from '../accounts/passwords.ts'
import type { User } from '../accounts/user.ts'
import type { App } from '../app.ts'

const bodyBytes = 16 * 1024
const spanMs = 60_000
/** Attempts from one address, right or wrong. */
const perAddress = { maxAttempts: 10, spanMs }

const SignIn = z.object({ username: z.string().trim().max(200), password: GivenPassword })

export const SignedInUser = z
  .object({
    id: z.string(),
    username: z.string(),
    role: z.enum(roles),
    mustChangeCredentials: z.boolean().describe('The initial password must be changed before anything else is allowed'),
  })
  .meta({ id: 'SignedInUser' })
const SignInAnswer = z.object({ user: SignedInUser })
const SessionAnswer = z.object({ user: SignedInUser, expiresAt: z.iso.datetime() }).nullable()
const SignOutAnswer = z.object({ message: z.string() })

/** Else a page of a stranger could sign its visitor in as somebody else. */
const foreignPagesRefused = createMiddleware(async (c, next) => {
  rejectForeignPage(c, { unnamed: 'own' })
  await next()
})

export const cameWith = (c: Context) => ({ headers: c.req.raw.headers, secure: isSecure(c) })

/** Sessions of people. What better-auth could do beyond these is reached by no route. */
export const sessionRoutes = (app: App) =>
  new Hono<CallerEnv>()
    .basePath('/auth/session')
    .post('/sign-in/username', foreignPagesRefused, jsonBody(bodyBytes), input('json', SignIn), async (c) => {
      const pair = c.req.valid('json')
      const address = clientAddress(c, app.trustedProxies)
      app.attempts.take(`sign-in from ${address}`, perAddress)
      const attempt = { username: pair.username, address, proxy: proxyAddress(c, app.trustedProxies) }
      const signal = callerSignal(c.req.raw)
      const holdMs = app.backoff.begin(attempt)
      const compare = async () => {
        await unlessAborted(sleep(holdMs), signal)
        const line = app.backoff.knows(attempt) ? 'first' : 'second'
        return app.signIns.run(() => app.accounts.signIn(pair, cameWith(c)), signal, line)
      }
      const { userId, cookies } = await compare().catch((error: unknown) => {
        const isWrong = error instanceof AppError && error.code === 'invalid_api_key'
        if (!isWrong) app.backoff.withdraw(attempt)
        throw error
      })
      app.backoff.succeeded(attempt)
      return withCookies(c.json({ user: signedInUser(app, userId) }), cookies)
    })
    .post('/sign-out', async (c) => {
      const cookies = await app.accounts.signOut(cameWith(c))
      return withCookies(c.json({ message: 'You are signed out.' }), cookies)
    })
    .get('/get-session', async (c) => {
      const session = await app.accounts.session(cameWith(c), { renew: true })
      if (c.get('caller').holder?.via !== 'session' || !session) return withCookies(c.json(null), [])
      return withCookies(c.json({ user: signedInUser(app, session.userId), expiresAt: session.expiresAt }), session.cookies)
    })

export const sessionHeaders = z.object({ 'Set-Cookie': z.string().optional().describe('The session cookie, if it changes') })

export const sessionOperations: Operations = {
  '/auth/session/sign-in/username': {
    post: {
      operationId: 'signIn',
      tags: ['Accounts'],
      summary: 'Sign in',
      description:
        'Returns a session cookie. Attempts are limited by address. While the password of a user is guessed, attempts at that user from new addresses take up to 8 s. A 401 does not say whether the user name or the password is wrong.',
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema: SignIn } } },
      responses: { 200: { ...json(SignInAnswer, 'Signed in'), headers: sessionHeaders }, ...errors(400, 401, 403, 413, 429) },
    },
  },
  '/auth/session/sign-out': {
    post: {
      operationId: 'signOut',
      tags: ['Accounts'],
      summary: 'Sign out',
      description: 'Ends the session of the cookie, if there is one.',
      security: [],
      responses: { 200: { ...json(SignOutAnswer, 'Signed out'), headers: sessionHeaders } },
    },
  },
  '/auth/session/get-session': {
    get: {
      operationId: 'getSession',
      tags: ['Accounts'],
      summary: 'Get the session',
      description: 'Returns null without a session. A session in use is renewed once a day, to a week.',
      security: [],
      responses: { 200: { ...json(SessionAnswer, 'The session, or null'), headers: sessionHeaders } },
    },
  },
}

export function signedInUser({ users }: Pick<App, 'users'>, id: string): z.infer<typeof SignedInUser> {
  const { username, role, defaultPair } = users.find(id) as User
  return { id, username, role, mustChangeCredentials: defaultPair }
}

export function withCookies(answer: Response, cookies: string[]): Response {
  for (const cookie of cookies) answer.headers.append('set-cookie', cookie)
  answer.headers.set('cache-control', 'no-store')
  return answer
}
