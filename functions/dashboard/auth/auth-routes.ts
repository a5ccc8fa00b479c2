import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Flows } from '../../access/flows.ts'
import type { RateLimits } from '../../access/rate-limits.ts'
import { viewerAddress } from '../../access/request-usage.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { Users } from '../../access/users.ts'
import { ownCookie, removeOwnCookie, type SessionEnv, setOwnCookie } from '../access/session.ts'
import { CookieHeader, Message } from '../routes/answers.ts'
import type { Issuer } from './oidc-issuer.ts'

type AuthRoutesPorts = {
  issuer: Issuer
  flows: Flows
  sessions: Pick<Sessions, 'begin' | 'end' | 'find'>
  users: Pick<Users, 'signIn'>
  rateLimits: Pick<RateLimits, 'request'>
  originSecrets: readonly string[] | undefined
  log: Log
  url: string
}

const maxNextLength = 1_000

export const authRoutes = (ports: AuthRoutesPorts) => {
  const { issuer, flows, sessions, users, rateLimits, originSecrets, log, url } = ports
  const callback = new URL('/auth/callback', url)

  async function endSession(token: string | undefined): Promise<void> {
    const session = token === undefined ? undefined : await sessions.find(token)
    if (session) await sessions.end(session.user, session.id)
  }

  return new Hono<SessionEnv>()
    .use('/auth/*', async (c, next) => {
      await rateLimits.request({ kind: 'anonymous' }, viewerAddress(c, originSecrets !== undefined))
      await next()
    })
    .get(
      '/auth/sign-in',
      describeRoute({
        operationId: 'signIn',
        tags: ['Sign-in'],
        summary: 'Begin a sign-in',
        description:
          'Sends the browser to the issuer. The parameter `next` is the path of the page that follows; with `prompt=login` the issuer asks again who signs in.',
        responses: redirect('To the issuer'),
        errors: [429, 502],
      }),
      async (c) => {
        const { address, checks } = await issuer.begin(callback.href, c.req.query('prompt') === 'login')
        const { token, endsAt } = await flows.begin({ ...checks, next: ownPath(c.req.query('next'), url) })
        setOwnCookie(c, url, 'sign-in', token, endsAt)
        return c.redirect(address.href)
      },
    )
    .get(
      '/auth/callback',
      describeRoute({
        operationId: 'finishSignIn',
        tags: ['Sign-in'],
        summary: 'Finish a sign-in',
        description: 'The issuer sends the browser here, with the result as parameters. Begins a session.',
        responses: redirect('To the page that follows'),
        errors: [400, 429, 502],
      }),
      async (c) => {
        const cookie = ownCookie(c, url, 'sign-in')
        removeOwnCookie(c, url, 'sign-in')
        const flow = cookie === undefined ? undefined : await flows.take(cookie)
        if (flow === undefined) throw new AppError('validation_error', notBegun)
        const response = new URL(callback)
        response.search = new URL(c.req.url).search
        const identity = await issuer.finish(response, flow).catch((error: unknown) => {
          log.warn({ reason: reasonOf(error) }, 'a sign-in failed')
          throw error
        })
        const user = await users.signIn(identity)
        await endSession(ownCookie(c, url, 'session'))
        const { token, endsAt } = await sessions.begin(user.id, c.req.header('user-agent') ?? '')
        setOwnCookie(c, url, 'session', token, endsAt)
        return c.redirect(flow.next)
      },
    )
    .post(
      '/auth/sign-out',
      describeRoute({
        operationId: 'signOut',
        tags: ['Sign-in'],
        summary: 'Sign out',
        description: 'Ends the session of the browser, if it has one.',
        responses: { 200: json(Message, 'The browser is signed out', CookieHeader) },
        errors: [429],
      }),
      async (c) => {
        await endSession(ownCookie(c, url, 'session'))
        removeOwnCookie(c, url, 'session')
        return c.json({ message: 'You are signed out.' })
      },
    )
}

const redirect = (description: string) => ({
  302: { description, headers: CookieHeader.extend({ Location: z.string() }) },
})

const notBegun = 'This sign-in was not begun in this browser, was finished before, or took more than ten minutes. Start again.'

/** Not the error itself: it has claims, which are about a person. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error
  return cause instanceof Error ? cause.message : message
}

/** A path of this dashboard: `/` for an address of another host. */
function ownPath(next: string | undefined, url: string): string {
  const address = next?.startsWith('/') && next.length <= maxNextLength ? URL.parse(next, url) : null
  // Without its dot segments, `/.//host` is the address of another host.
  if (address?.origin !== new URL(url).origin || address.pathname.startsWith('//')) return '/'
  return address.pathname + address.search + address.hash
}
