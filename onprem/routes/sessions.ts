import type { BlockList } from 'node:net'
import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { callerSignal } from '../../shared/http/caller-signal.ts'
import { clientAddress, proxyAddress } from '../../shared/http/client-address.ts'
import { isForwarded, isSecure } from '../../shared/http/is-own-origin.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { type AddressPorts, rememberHost } from '../access/allowed-hosts.ts'
import { browserUrl, siteOf } from '../access/browser-url.ts'
import type { CallerEnv } from '../access/caller.ts'
import { rejectForeignPage } from '../access/reject-foreign-page.ts'
import type { AccessAudit } from '../accounts/access-audit.ts'
import type { Accounts, PasswordProof, RequestHeaders } from '../accounts/accounts.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { KnownHosts } from '../accounts/known-hosts.ts'
import { SignIn, type SignInPorts, signIn } from '../accounts/sign-in.ts'
import { SignedInUser, signedInUser } from '../accounts/signed-in-user.ts'
import { publicHash } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import { acceptsPasswords } from '../accounts/ways-to-sign-in.ts'
import {
  type CheckedStep,
  checkSecondStep,
  passkeyOptions,
  pendingUser,
  SecondStep,
  type SecondStepPorts,
  secondSteps,
  stepsOf,
  wrongStep,
} from '../second-factor/second-step.ts'
import { shortSeconds } from '../second-factor/short-lived.ts'
import { type IssuerSignOutPorts, issuerSignOut } from '../sso/issuer-sign-out.ts'
import { labelOf } from '../sso/issuers.ts'
import { ownCookie, removeOwnCookie, setOwnCookie } from './own-cookie.ts'

const maxBodyBytes = 16 * 1024

const SignInAnswer = z.object({ user: SignedInUser })
const SecondStepAnswer = z.object({
  secondStep: z.array(z.enum(secondSteps)).describe('The ways to finish the sign-in'),
})
const SessionAnswer = z.object({ user: SignedInUser, expiresAt: z.iso.datetime() }).nullable()
const SignOutAnswer = z.object({
  message: z.string(),
  next: z.string().optional().describe('Address at which the browser also signs out of the issuer of the session'),
})

export const sessionHeaders = z.object({ 'Set-Cookie': z.string().optional().describe('The session cookie, if it changes') })

const stepCookie = 'second-step'
const passkeysPerAddress = { maxAttempts: 30, spanMs: 60_000 }
const Empty = z.strictObject({})
export const PasskeyOptions = z.object({ options: z.record(z.string(), z.unknown()) })

/** A foreign page could otherwise sign its visitor in as another user. */
const rejectForeignPages = ({ publicUrl }: Pick<SessionRoutesPorts, 'publicUrl'>) =>
  createMiddleware(async (c, next) => {
    rejectForeignPage(c, { withoutOrigin: 'own', publicUrl })
    await next()
  })

type SessionRoutesPorts = SignInPorts &
  SecondStepPorts &
  IssuerSignOutPorts &
  AddressPorts & {
    accounts: Accounts
    users: Pick<UserStore, 'find' | 'initial' | 'hashOf' | 'findByName' | 'endSessionOf'>
    audit: Pick<AuditLog, 'record'>
    accessAudit: Pick<AccessAudit, 'refused'>
    atomically: Atomically
    trustedProxies: BlockList
    knownHosts: KnownHosts
    settings: Pick<SettingsStore, 'get'>
  }

/** Sessions of people. No route reaches the other features of better-auth. */
export const sessionRoutes = (ports: SessionRoutesPorts) =>
  new Hono<CallerEnv>()
    .basePath('/auth/session')
    .post(
      '/sign-in/username',
      describeRoute({
        operationId: 'signIn',
        tags: ['Accounts'],
        summary: 'Sign in',
        description:
          'Returns a session cookie, or 202 and the cookie of a sign-in that a second step finishes. Attempts are limited by address. While the password of a user is guessed, attempts at that user from new addresses take up to 8 s. A 401 does not say whether the user name or the password is wrong.',
        responses: {
          200: json(SignInAnswer, 'Signed in', sessionHeaders),
          202: json(SecondStepAnswer, 'The password is right. The user has a second factor', sessionHeaders),
        },
        errors: [401, 429],
      }),
      rejectForeignPages(ports),
      jsonBody(maxBodyBytes),
      input('json', SignIn),
      async (c) => {
        rejectPasswords(ports)
        rejectPublicPassword(ports, c, c.req.valid('json').username)
        const address = clientAddress(c, ports.trustedProxies)
        const origin = { address, proxy: proxyAddress(c, ports.trustedProxies) }
        try {
          const proof = await signIn(ports, c.req.valid('json'), origin, callerSignal(c.req.raw))
          if (ports.users.find(proof.userId)?.hasSecondFactor) {
            const { username } = signedInUser(ports, proof.userId)
            ports.audit.record({
              actor: { name: username, id: proof.userId, address },
              action: 'session.password',
              subject: username,
            })
            setOwnCookie(ports, c, stepCookie, ports.pendingSignIns.add(proof), shortSeconds)
            return withCookies(c.json({ secondStep: stepsOf(ports, proof.userId, siteOf(ports, c)) }, 202), [])
          }
          const { user, cookies } = await beginSession(ports, c, { proof, address })
          return withCookies(c.json({ user }), cookies)
        } catch (error) {
          const known = ports.users.findByName(c.req.valid('json').username)
          noteRefusal(ports, known?.username ?? 'unknown user', address, error)
          throw error
        }
      },
    )
    .post(
      '/sign-in/passkey',
      describeRoute({
        operationId: 'startPasskey',
        tags: ['Accounts'],
        summary: 'Ask for a passkey',
        description:
          'Returns the options for `navigator.credentials.get`, whose result is the `passkey` of the second step. Needs the cookie of a sign-in that answered 202.',
        responses: { 200: json(PasskeyOptions, 'The options') },
        errors: [429],
      }),
      rejectForeignPages(ports),
      jsonBody(maxBodyBytes),
      input('json', Empty),
      async (c) => {
        const token = ownCookie(ports, c, stepCookie) ?? ''
        const { userId } = pendingUser(ports, token)
        ports.attempts.take(`passkey options from ${clientAddress(c, ports.trustedProxies)}`, passkeysPerAddress)
        const options: Record<string, unknown> = { ...(await passkeyOptions(ports, token, userId, siteOf(ports, c))) }
        return withCookies(c.json({ options }), [])
      },
    )
    .post(
      '/sign-in/second-step',
      describeRoute({
        operationId: 'finishSignIn',
        tags: ['Accounts'],
        summary: 'Finish a sign-in with a second factor',
        description:
          'Returns a session cookie. Needs the cookie of a sign-in that answered 202 in the last ten minutes. A code counts once. Attempts are limited by address, wrong codes also by user. A 401 does not say what is wrong.',
        responses: { 200: json(SignInAnswer, 'Signed in', sessionHeaders) },
        errors: [401, 429],
      }),
      rejectForeignPages(ports),
      jsonBody(maxBodyBytes),
      input('json', SecondStep),
      async (c) => {
        rejectPasswords(ports)
        const token = ownCookie(ports, c, stepCookie) ?? ''
        const proof = pendingUser(ports, token)
        const address = clientAddress(c, ports.trustedProxies)
        try {
          const step = await checkSecondStep(ports, proof.user, c.req.valid('json'), { token, address, site: siteOf(ports, c) })
          const isPending = () => pendingUser(ports, token).userId === proof.userId
          const use = () => isPending() && step.use()
          const { user, cookies } = await beginSession(ports, c, { proof, address, step: { ...step, use } })
          ports.pendingSignIns.end(token)
          removeOwnCookie(ports, c, stepCookie)
          return withCookies(c.json({ user }), cookies)
        } catch (error) {
          noteRefusal(ports, `${proof.user.username} (second step)`, address, error)
          throw error
        }
      },
    )
    .post(
      '/sign-out',
      describeRoute({
        operationId: 'signOut',
        tags: ['Accounts'],
        summary: 'Sign out',
        description:
          'Ends the session of the cookie, if there is one. If it began at an issuer that offers it, `next` is the address that ends the session there.',
        responses: { 200: json(SignOutAnswer, 'Signed out', sessionHeaders) },
      }),
      async (c) => {
        const session = await ports.accounts.session(requestHeaders(c))
        const next = session && (await issuerSignOut(ports, session.id, `${browserUrl(ports, c)}/sign-in`))
        const cookies = await ports.accounts.signOut(requestHeaders(c))
        return withCookies(c.json({ message: 'You are signed out.', ...(next && { next }) }), cookies)
      },
    )
    .get(
      '/get-session',
      describeRoute({
        operationId: 'getSession',
        tags: ['Accounts'],
        summary: 'Get the session',
        description:
          'Returns null without a session. A session in use is renewed once a day, to a week, but ends as sessions.absoluteHours and sessions.idleHours say.',
        responses: { 200: json(SessionAnswer, 'The session, or null', sessionHeaders) },
      }),
      async (c) => {
        const session = await ports.accounts.session(requestHeaders(c), { renew: true })
        if (c.get('caller').holder?.via !== 'session' || !session) return withCookies(c.json(null), [])
        const { userId, expiresAt, cookies } = session
        return withCookies(c.json({ user: signedInUser(ports, userId), expiresAt }), cookies)
      },
    )

type SignInFacts = { proof: PasswordProof; address: string; step?: CheckedStep }

/** A session that cannot be recorded, or whose second step was used meanwhile, ends before anybody gets it. */
async function beginSession(ports: SessionRoutesPorts, c: Context, { proof, address, step }: SignInFacts) {
  const { sessionId, cookies } = await ports.accounts.beginSession(proof, requestHeaders(c))
  const user = signedInUser(ports, proof.userId)
  const { id, username, role } = user
  const actor = { name: username, id, address }
  try {
    ports.atomically(() => {
      // A second factor may have been added, and the one that was asked for used, meanwhile.
      if (step ? !step.use() : ports.users.find(id)?.hasSecondFactor) throw wrongStep()
      ports.audit.record({ actor, action: 'session.begin', subject: step ? `${username} (${step.by})` : username })
      if (role === 'admin') rememberHost(ports, c.req.header('host') ?? '', actor)
    })
  } catch (error) {
    ports.users.endSessionOf(id, sessionId)
    throw error
  }
  return { user, cookies }
}

/** A name that no user has is not recorded: people type passwords into the wrong field. */
function noteRefusal({ accessAudit }: SessionRoutesPorts, subject: string, address: string, error: unknown): void {
  const isRefused = error instanceof AppError && ['invalid_api_key', 'forbidden', 'rate_limit_exceeded'].includes(error.code)
  if (!isRefused) return
  accessAudit.refused({ actor: { name: 'anonymous', id: '', address }, action: 'session.begin', subject })
}

export const requestHeaders = (c: Context): RequestHeaders => ({ headers: c.req.raw.headers, secure: isSecure(c) })

export function withCookies<Answer extends Response>(answer: Answer, cookies: string[]): Answer {
  for (const cookie of cookies) answer.headers.append('set-cookie', cookie)
  answer.headers.set('cache-control', 'no-store')
  return answer
}

/** Throws forbidden if users sign in at an issuer only. */
function rejectPasswords(ports: Pick<SessionRoutesPorts, 'settings' | 'issuers'>): void {
  if (acceptsPasswords(ports)) return
  const labels = ports.issuers.list().map(labelOf).join(' or ')
  throw new AppError('forbidden', `Sign-in with a password is turned off. Sign in with ${labels}.`)
}

/**
 * Throws forbidden if a proxy forwards a sign-in of the user who still has the public initial password. Without PUBLIC_URL the server does not
 * know that the proxy lets others reach it.
 */
function rejectPublicPassword({ users }: { users: Pick<UserStore, 'initial'> }, c: Context, username: string): void {
  const initial = users.initial()
  if (initial?.hash !== publicHash || initial.username !== username.toLowerCase() || !isForwarded(c)) return
  throw new AppError(
    'forbidden',
    'The initial password is known to everyone, so it is not accepted through a reverse proxy. Set PUBLIC_URL to the address that users see and restart the server: it then generates another password.',
  )
}
