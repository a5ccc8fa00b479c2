import type { BlockList } from 'node:net'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { clientAddress } from '../../shared/http/client-address.ts'
import { requestLog } from '../../shared/http/log-requests.ts'
import type { SsoIssuer } from '../../shared/schemas/sso-issuer.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { type AddressPorts, rememberHost } from '../access/allowed-hosts.ts'
import { browserUrl } from '../access/browser-url.ts'
import type { CallerEnv } from '../access/caller.ts'
import type { AccessAudit } from '../accounts/access-audit.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Attempts } from '../accounts/attempts.ts'
import type { IssuerSessions } from '../accounts/issuer-sessions.ts'
import type { KnownHosts } from '../accounts/known-hosts.ts'
import { acceptsPasswords } from '../accounts/ways-to-sign-in.ts'
import { type AdmitPersonPorts, admitPerson } from '../sso/admit-person.ts'
import { type Issuers, labelOf } from '../sso/issuers.ts'
import { type Person, readClaims } from '../sso/read-claims.ts'
import { flowSeconds, type SignInFlow, type SignInFlows } from '../sso/sign-in-flows.ts'
import { ownCookie, removeOwnCookie, setOwnCookie } from './own-cookie.ts'
import { requestHeaders, sessionHeaders, withCookies } from './sessions.ts'

const IssuersAnswer = z.object({
  issuers: z.array(z.object({ name: z.string(), label: z.string().describe('What follows "Sign in with"') })),
  passwords: z.boolean().describe('Users may sign in with a password'),
  problem: z.string().nullable().describe('Why the last sign-in of this browser at an issuer failed; shown once'),
})
const IssuerName = z.object({ name: z.string().max(30) })

type SingleSignOnPorts = AdmitPersonPorts &
  AddressPorts & {
    settings: Pick<SettingsStore, 'get'>
    issuers: Issuers
    signInFlows: SignInFlows
    issuerSessions: Pick<IssuerSessions, 'add'>
    accounts: Pick<Accounts, 'beginSession'>
    attempts: Pick<Attempts, 'take'>
    knownHosts: KnownHosts
    accessAudit: Pick<AccessAudit, 'refused'>
    trustedProxies: BlockList
  }

/** Sign-ins that one address begins. */
const perAddress = { maxAttempts: 30, spanMs: 60_000 }
const [flowCookie, problemCookie] = ['sign-in', 'sign-in-problem']
const problemSeconds = 120
const maxNextLength = 1_000

/** Signs people in at the issuers in `sso.issuers`. */
export const singleSignOnRoutes = (ports: SingleSignOnPorts) => {
  const { issuers, signInFlows, attempts, trustedProxies } = ports

  /** Shows the sign-in page with the reason, as the browser cannot show an error response as well. */
  async function orSignInPage(c: Context, name: string, work: () => Promise<Response>): Promise<Response> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      requestLog(c, ports.log).warn({ reason: reasonOf(error) }, 'a sign-in at an issuer failed')
      const actor = { name: 'anonymous', id: '', address: clientAddress(c, trustedProxies) }
      if (error.code === 'forbidden') ports.accessAudit.refused({ actor, action: 'session.begin', subject: `issuer ${name}` })
      setOwnCookie(ports, c, problemCookie, error.message, problemSeconds)
      return withCookies(c.redirect(`${ports.publicUrl?.path ?? ''}/sign-in`), [])
    }
  }

  return new Hono<CallerEnv>()
    .basePath('/auth/oidc')
    .get(
      '/',
      describeRoute({
        operationId: 'listIssuers',
        tags: ['Accounts'],
        summary: 'List the ways to sign in',
        description: 'Lists the issuers of single sign-on, in the order of the settings.',
        responses: { 200: json(IssuersAnswer, 'The ways to sign in', sessionHeaders) },
      }),
      (c) => {
        const problem = ownCookie(ports, c, problemCookie) ?? null
        if (problem !== null) removeOwnCookie(ports, c, problemCookie)
        const listed = issuers.list().map((entry) => ({ name: entry.name, label: labelOf(entry) }))
        return withCookies(c.json({ issuers: listed, passwords: acceptsPasswords(ports), problem }), [])
      },
    )
    .get(
      '/:name/start',
      describeRoute({
        operationId: 'startSingleSignOn',
        tags: ['Accounts'],
        summary: 'Begin a sign-in at an issuer',
        description:
          'Sends the browser to the issuer. The parameter `next` is the path of the page that follows. If the issuer cannot be asked, the browser returns to the sign-in page.',
        responses: redirect('To the issuer'),
        errors: [404, 429],
      }),
      input('param', IssuerName),
      async (c) => {
        const { name } = c.req.valid('param')
        const { client } = await openIssuer(issuers, name)
        attempts.take(`single sign-on from ${clientAddress(c, trustedProxies)}`, perAddress)
        return orSignInPage(c, name, async () => {
          const { address, checks } = await client.begin(callbackOf(ports, c, name))
          const token = signInFlows.begin({ ...checks, issuer: name, next: ownPath(c.req.query('next')) })
          setOwnCookie(ports, c, flowCookie, token, flowSeconds)
          return withCookies(c.redirect(address.href), [])
        })
      },
    )
    .get(
      '/:name/callback',
      describeRoute({
        operationId: 'finishSingleSignOn',
        tags: ['Accounts'],
        summary: 'Finish a sign-in at an issuer',
        description:
          'The issuer sends the browser here, with the result as parameters. Begins a session, and creates the user at the first sign-in. If the sign-in fails, the browser returns to the sign-in page.',
        responses: redirect('To the page that follows'),
        errors: [404],
      }),
      input('param', IssuerName),
      async (c) => {
        const { name } = c.req.valid('param')
        const { entry, client } = await openIssuer(issuers, name)
        return orSignInPage(c, name, async () => {
          const flow = takeFlow(ports, c, name)
          const response = new URL(callbackOf(ports, c, name))
          response.search = new URL(c.req.url).search
          const { claims, idToken } = await client.finish(response, flow)
          const address = clientAddress(c, trustedProxies)
          const by = { name: `issuer ${name}`, id: '', address }
          const provisions = issuers.provisioning(name) !== undefined
          const user = admitPerson(ports, { entry, provisions, person: readPerson(ports, c, entry, claims), by })
          const { sessionId, cookies } = await ports.accounts
            .beginSession({ userId: user.id }, requestHeaders(c))
            .catch((error: unknown) => {
              requireActive(ports, user.id)
              throw error
            })
          const actor = { name: user.username, id: user.id, address }
          try {
            ports.atomically(() => {
              requireActive(ports, user.id)
              ports.issuerSessions.add(sessionId, name, idToken)
              ports.audit.record({ actor, action: 'session.begin', subject: `${user.username} (issuer ${name})` })
              if (user.role === 'admin') rememberHost(ports, c.req.header('host') ?? '', actor)
            })
          } catch (error) {
            ports.users.endSessionOf(user.id, sessionId)
            throw error
          }
          return withCookies(c.redirect(`${ports.publicUrl?.path ?? ''}${flow.next}`), cookies)
        })
      },
    )
}

/** The issuer may have disabled or deleted the user while the session began. */
function requireActive({ users }: Pick<SingleSignOnPorts, 'users'>, id: string): void {
  if (users.find(id)?.disabled !== false) throw new AppError('forbidden', 'This user is disabled; ask an admin.')
}

async function openIssuer(issuers: Issuers, name: string) {
  const opened = await issuers.open(name)
  if (opened === undefined) throw new AppError('not_found', 'The settings name no issuer of this name. Sign in again.')
  return opened
}

/** The flow that this browser has begun at this issuer; a flow of another issuer ends, too. Throws validation_error. */
function takeFlow(ports: SingleSignOnPorts, c: Context, name: string): SignInFlow {
  const token = ownCookie(ports, c, flowCookie)
  removeOwnCookie(ports, c, flowCookie)
  const flow = token === undefined ? undefined : ports.signInFlows.take(token)
  if (flow?.issuer !== name) throw new AppError('validation_error', notBegun)
  return flow
}

const notBegun = 'This sign-in was not begun in this browser, was finished before, or took more than ten minutes. Start again.'

function readPerson(ports: SingleSignOnPorts, c: Context, entry: SsoIssuer, claims: Parameters<typeof readClaims>[1]): Person {
  const person = readClaims(entry, claims)
  for (const remark of person.remarks) requestLog(c, ports.log).warn({ issuer: entry.name }, remark)
  return person
}

const callbackOf = (ports: SingleSignOnPorts, c: Context, name: string): string =>
  `${browserUrl(ports, c)}/api/auth/oidc/${name}/callback`

const redirect = (description: string) => ({
  302: { description, headers: sessionHeaders.extend({ Location: z.string() }) },
})

/** Not the error itself: it has claims, which are about a person. */
const reasonOf = ({ cause, message }: Error): string => (cause instanceof Error ? cause.message : message)

/** A path of this server: `/` for an address of another host. */
function ownPath(next: string | undefined): string {
  const base = 'http://localhost'
  const address = next?.startsWith('/') && next.length <= maxNextLength ? URL.parse(next, base) : null
  // Without its dot segments, `/.//host` is the address of another host.
  if (address?.origin !== base || address.pathname.startsWith('//')) return '/'
  return address.pathname + address.search + address.hash
}
