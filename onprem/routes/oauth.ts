import type { BlockList } from 'node:net'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { clientAddress } from '../../shared/http/client-address.ts'
import { readBody } from '../../shared/http/read-body.ts'
import { bearerKey } from '../../shared/http/request-key.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { browserUrl, resourceOf } from '../access/browser-url.ts'
import { actorOf, type CallerEnv, hasRight, type RightPorts } from '../access/caller.ts'
import type { Attempts } from '../accounts/attempts.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { UserStore } from '../accounts/user-store.ts'
import { type Authorizations, verifiesChallenge } from '../oauth/authorizations.ts'
import { type DeviceLogins, deviceSeconds, pollSeconds } from '../oauth/device-logins.ts'
import { accessPrefix, type OauthStore, type Tokens } from '../oauth/oauth-store.ts'
import { isLoopback, isRedirectUri, matchesRedirectUri } from '../oauth/redirect-uri.ts'

export type OauthPorts = RightPorts & {
  publicUrl: PublicUrl | undefined
  oauth: OauthStore
  authorizations: Authorizations
  deviceLogins: DeviceLogins
  users: Pick<UserStore, 'find'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
  attempts: Pick<Attempts, 'take'>
  trustedProxies: BlockList
}

const maxBodyBytes = 16 * 1024
const maxStateChars = 2_000
const registrations = { maxAttempts: 20, spanMs: 600_000 }
const requests = { maxAttempts: 60, spanMs: 60_000 }

/** Clients of MCP can sign in while an issuer of single sign-on is there. */
const isOn = ({ settings }: Pick<OauthPorts, 'settings'>): boolean => settings.get('sso.issuers').length > 0

/** Otherwise only an admin registers clients, with a key as the initial access token of RFC 7591. */
const mayRegister = ({ settings }: Pick<OauthPorts, 'settings'>): boolean => settings.get('sso.clientRegistration')

const metadataOf = (ports: OauthPorts, c: Context) =>
  `${browserUrl(ports, c)}/.well-known/oauth-protected-resource${ports.publicUrl?.path ? '' : '/mcp'}`

/** An error as RFC 6749 and RFC 7591 describe it. */
class OauthError extends Error {
  readonly code: string
  readonly status: 400 | 401 | 403 | 429 | 503
  constructor(code: string, message: string, status: 400 | 401 | 403 | 429 | 503 = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

const Registration = z.object({
  client_name: shortText(100).catch('An MCP client'),
  redirect_uris: z.array(z.string()).min(1).max(10),
  grant_types: z.array(z.string()).optional(),
})

const Challenge = z.string().regex(/^[\w-]{43}$/)
const Verifier = z.string().regex(/^[\w.~-]{43,128}$/)

/**
 * Lets clients of MCP sign in as the protocol says: RFC 9728 and 8414 (metadata), 7591 (registration), 6749 with 7636 (codes with PKCE), 8707
 * (resources), 9207 (the issuer in responses) and 7009 (revocation). Without an issuer of single sign-on none of these routes exists.
 */
export const oauthRoutes = (ports: OauthPorts) => {
  const { oauth, authorizations, attempts, trustedProxies } = ports
  const whileOn = createMiddleware(async (c, next) => {
    return isOn(ports) ? next() : c.notFound()
  })
  const take = (c: Context, what: string, rule: typeof requests) =>
    attempts.take(`${what} ${clientAddress(c, trustedProxies)}`, rule)

  const protectedResource = (c: Context) => {
    const base = browserUrl(ports, c)
    return c.json({
      resource: resourceOf(ports, c),
      authorization_servers: [base],
      scopes_supported: ['read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Carrel',
    })
  }
  const authorizationServer = (c: Context) => {
    const base = browserUrl(ports, c)
    return c.json({
      issuer: base,
      authorization_endpoint: `${base}/mcp/oauth/authorize`,
      token_endpoint: `${base}/mcp/oauth/token`,
      ...(mayRegister(ports) && { registration_endpoint: `${base}/mcp/oauth/register` }),
      revocation_endpoint: `${base}/mcp/oauth/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      scopes_supported: ['read'],
      authorization_response_iss_parameter_supported: true,
    })
  }

  return new Hono<CallerEnv>()
    .get('/.well-known/oauth-protected-resource', whileOn, protectedResource)
    .get('/.well-known/oauth-protected-resource/:path{.+}', whileOn, protectedResource)
    .get('/.well-known/oauth-authorization-server', whileOn, authorizationServer)
    .get('/.well-known/oauth-authorization-server/:path{.+}', whileOn, authorizationServer)
    .post('/mcp/oauth/register', whileOn, async (c) =>
      answerErrors(c, async () => {
        take(c, 'registration from', registrations)
        const sent = Registration.safeParse(await jsonOf(c))
        if (!sent.success)
          throw new OauthError('invalid_client_metadata', 'The registration needs redirect_uris, a list of addresses.')
        const { client_name: name, redirect_uris: redirectUris } = sent.data
        if (!redirectUris.every(isRedirectUri))
          throw new OauthError('invalid_redirect_uri', 'Redirect addresses must be https, http on 127.0.0.1, or of a program.')
        const caller = c.get('caller')
        // A session may lack its second factor, and a page could send it.
        const byAdmin = caller.holder?.via === 'key' && hasRight(ports, 'admin', caller.holder)
        if (!byAdmin && !mayRegister(ports))
          throw new OauthError('access_denied', 'Only an admin can register clients: send the key of one.', 403)
        const client = ports.atomically(() => {
          if (byAdmin) ports.audit.record({ actor: actorOf(caller), action: 'client.register', subject: name })
          return oauth.register({ name, redirectUris, byAdmin })
        })
        if (!client) throw new OauthError('temporarily_unavailable', 'There are too many clients. Try again later.', 503)
        return c.json(
          {
            client_id: client.id,
            client_name: name,
            redirect_uris: redirectUris,
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
            token_endpoint_auth_method: 'none',
          },
          201,
        )
      }),
    )
    .get('/mcp/oauth/authorize', whileOn, (c) => {
      take(c, 'authorization from', requests)
      return authorize(c)
    })
    .post('/mcp/oauth/device', async (c) =>
      answerErrors(c, async () => {
        const { data: name = 'carrel login' } = shortText(100).safeParse((await formOf(c)).client_name)
        take(c, 'logins from', registrations)
        const { deviceCode, userCode } = ports.deviceLogins.begin(name, clientAddress(c, trustedProxies))
        const page = `${browserUrl(ports, c)}/device`
        return c.json({
          device_code: deviceCode,
          user_code: userCode,
          verification_uri: page,
          verification_uri_complete: `${page}?${new URLSearchParams({ code: userCode })}`,
          expires_in: deviceSeconds,
          interval: pollSeconds,
        })
      }),
    )
    .post('/mcp/oauth/token', async (c) =>
      answerErrors(c, async () => {
        const form = await formOf(c)
        take(c, 'tokens for', requests)
        if (form.grant_type === deviceGrant) return c.json(deviceAnswer(ports, form))
        if (!isOn(ports)) throw new OauthError('unsupported_grant_type', `grant_type must be ${deviceGrant}`)
        const { tokens } = form.grant_type === 'refresh_token' ? refresh(ports, c, form) : redeem(ports, c, form)
        return c.json(tokenAnswer(tokens))
      }),
    )
    .post('/mcp/oauth/revoke', whileOn, async (c) =>
      answerErrors(c, async () => {
        const { token = '', client_id: clientId = '' } = await formOf(c)
        oauth.endToken(token, clientId)
        return c.json({})
      }),
    )

  function authorize(c: Context): Response {
    const q = onlyOnce(new URL(c.req.url).searchParams)
    const client = q.client_id === undefined ? undefined : oauth.client(q.client_id)
    // The browser never goes to an address that the client has not registered.
    if (!client)
      throw new AppError('validation_error', 'No client has this client_id. Remove the server in your client and add it again.')
    if (!client.byAdmin && !mayRegister(ports))
      throw new AppError(
        'validation_error',
        'Only clients that an admin has registered may ask for access. Ask an admin for a client_id.',
      )
    const redirectUri = q.redirect_uri ?? (client.redirectUris.length === 1 ? client.redirectUris[0] : undefined)
    if (redirectUri === undefined || !matchesRedirectUri(client.redirectUris, redirectUri))
      throw new AppError('validation_error', 'The redirect_uri is not one that the client has registered.')
    // Anybody can register a client, so an error leads to no other host (RFC 9700, section 4.11.2).
    const refuse = (error: string, description: string) => {
      if (!isLoopback(redirectUri)) throw new AppError('validation_error', `${description}.`)
      return c.redirect(
        answerAddress(redirectUri, { error, error_description: description, state: q.state, iss: browserUrl(ports, c) }),
      )
    }
    if ((q.state?.length ?? 0) > maxStateChars) throw new AppError('validation_error', 'The state is too long.')
    if (q.response_type !== 'code') return refuse('unsupported_response_type', 'response_type must be code')
    if (q.code_challenge_method !== 'S256' || !Challenge.safeParse(q.code_challenge).success)
      return refuse('invalid_request', 'PKCE with S256 is required')
    const resource = resourceOf(ports, c)
    if (q.resource !== undefined && !isSameResource(q.resource, resource))
      return refuse('invalid_target', `The only resource is ${resource}`)
    const id = authorizations.ask({
      client,
      redirectUri,
      namesRedirect: q.redirect_uri !== undefined,
      challenge: q.code_challenge as string,
      state: q.state,
      resource,
    })
    return c.redirect(`${ports.publicUrl?.path ?? ''}/allow-client?${new URLSearchParams({ request: id })}`)
  }
}

type Form = Partial<Record<string, string>>

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The key of a command line that a user has allowed (RFC 8628). Throws OauthError until then. */
function deviceAnswer({ deviceLogins }: OauthPorts, form: Form) {
  const outcome = deviceLogins.poll(form.device_code ?? '')
  switch (outcome) {
    case 'pending':
      throw new OauthError('authorization_pending', 'Nobody has decided yet.')
    case 'slow_down':
      throw new OauthError('slow_down', 'Ask less often.')
    case 'refused':
      throw new OauthError('access_denied', 'The user has refused.')
    case 'expired':
      throw new OauthError('expired_token', 'The code is unknown or has expired.')
    default:
      return { access_token: outcome.key, token_type: 'Bearer' }
  }
}

/** Exchanges a code for the first tokens. Throws OauthError. */
function redeem({ oauth, authorizations, users, ...ports }: OauthPorts, c: Context, form: Form): { tokens: Tokens } {
  if (form.grant_type !== 'authorization_code')
    throw new OauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token')
  const redeemed = authorizations.redeem(form.code ?? '')
  if (redeemed && 'replayedGrant' in redeemed) oauth.endGrant(redeemed.replayedGrant)
  if (!redeemed || 'replayedGrant' in redeemed)
    throw new OauthError('invalid_grant', 'The code is unknown, expired or was used before.')
  const { client, redirectUri, namesRedirect, challenge, resource, userId } = redeemed.granted
  if (client.id !== form.client_id) throw new OauthError('invalid_grant', 'The code belongs to another client.')
  if (form.redirect_uri === undefined ? namesRedirect : form.redirect_uri !== redirectUri)
    throw new OauthError('invalid_grant', 'The redirect_uri is not that of the request.')
  if (!Verifier.safeParse(form.code_verifier).success || !verifiesChallenge(challenge, form.code_verifier ?? ''))
    throw new OauthError('invalid_grant', 'The code_verifier does not match.')
  if (resource !== resourceOf(ports, c) || (form.resource !== undefined && !isSameResource(form.resource, resource)))
    throw new OauthError('invalid_target', `The only resource is ${resource}`)
  const user = users.find(userId)
  if (!user || user.disabled) throw new OauthError('invalid_grant', 'The user is gone or disabled.')
  const { grantId, tokens } = oauth.grant({ userId, client, resource })
  authorizations.redeemed(form.code ?? '', grantId)
  return { tokens }
}

function refresh({ oauth, ...ports }: OauthPorts, c: Context, form: Form): { tokens: Tokens } {
  if (form.resource !== undefined && !isSameResource(form.resource, resourceOf(ports, c)))
    throw new OauthError('invalid_target', `The only resource is ${resourceOf(ports, c)}`)
  const next = oauth.refresh(form.refresh_token ?? '', form.client_id ?? '')
  if (!next) throw new OauthError('invalid_grant', 'The refresh token is unknown, expired or was used before. Sign in again.')
  return next
}

const tokenAnswer = ({ access, refresh: next, expiresSeconds }: Tokens) => ({
  access_token: access,
  token_type: 'Bearer',
  expires_in: expiresSeconds,
  refresh_token: next,
  scope: 'read',
})

/** Tells clients of `/mcp` where they can sign in. A token that has expired is refused also where nobody needs one, so that its client renews it. */
export const challengeMcp = (ports: OauthPorts): MiddlewareHandler<CallerEnv> =>
  createMiddleware<CallerEnv>(async (c, next) => {
    if (!isOn(ports)) return next()
    const isDead = bearerKey(c).startsWith(accessPrefix) && c.get('caller').holder === undefined
    const reason = isDead ? ', error="invalid_token"' : ''
    const header = `Bearer realm="carrel"${reason}, resource_metadata="${metadataOf(ports, c)}"`
    if (isDead)
      return c.json({ error: 'invalid_api_key', message: 'The token has expired or was revoked.' }, 401, {
        'www-authenticate': header,
      })
    await next()
    if (c.res.status === 401) c.res.headers.set('www-authenticate', header)
  })

/** The same address, apart from a slash at its end. */
const isSameResource = (sent: string, resource: string): boolean => sent.replace(/\/$/, '') === resource

/** The redirect address with the answer as parameters. */
export function answerAddress(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const address = new URL(redirectUri)
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) address.searchParams.set(name, value)
  return address.href
}

/** Parameters, of which each may be sent once (RFC 6749, section 3.1). */
function onlyOnce(parameters: URLSearchParams): Form {
  const names = [...parameters.keys()]
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new AppError('validation_error', `The parameter ${twice.slice(0, 50)} is sent twice.`)
  return Object.fromEntries(parameters)
}

async function formOf(c: Context): Promise<Form> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
    throw new OauthError('invalid_request', 'The body must be application/x-www-form-urlencoded.')
  return onlyOnce(new URLSearchParams((await readBody(c.req.raw, maxBodyBytes)).toString('utf8')))
}

async function jsonOf(c: Context): Promise<unknown> {
  const body = (await readBody(c.req.raw, maxBodyBytes)).toString('utf8')
  try {
    return JSON.parse(body)
  } catch {
    throw new OauthError('invalid_client_metadata', 'The body is not valid JSON.')
  }
}

/** Answers errors in the form that clients of OAuth read. */
async function answerErrors(c: Context, work: () => Promise<Response>): Promise<Response> {
  try {
    const answer = await work()
    answer.headers.set('cache-control', 'no-store')
    return answer
  } catch (error) {
    if (error instanceof OauthError) return c.json({ error: error.code, error_description: error.message }, error.status)
    if (error instanceof AppError && error.code === 'validation_error')
      return c.json({ error: 'invalid_request', error_description: error.message }, 400)
    throw error
  }
}
