import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type UserInfoResponse,
} from 'openid-client'
import { AppError } from '../errors.ts'
import { isLoopbackHost } from '../network/private-address.ts'

/** An empty secret is that of a public client, which only PKCE protects. */
export type OidcSettings = { issuer: string; clientId: string; clientSecret: string }

/** The values that the response of the issuer must match. */
export type OidcChecks = { verifier: string; state: string; nonce: string }

/** Claims of a person, with the issuer and subject of the verified token. */
export type OidcClaims = UserInfoResponse & { iss: string; sub: string }

/** Signs people in with OpenID Connect. */
export type OidcClient = {
  /**
   * The address to which a browser is sent, and what the response must match. `asksAgain`: the issuer asks who signs in although somebody has
   * in this browser. Throws provider_unavailable.
   */
  begin(redirectUri: string, asksAgain?: boolean): Promise<{ address: URL; checks: OidcChecks }>
  /** The verified claims in the issuer's response to `begin`, with the token that they are from. Throws forbidden, provider_unavailable. */
  finish(response: URL, checks: OidcChecks): Promise<{ claims: OidcClaims; idToken: string }>
  /** The address at which the browser also signs out of the issuer. Undefined if the issuer has none. Throws provider_unavailable. */
  signOutAddress(returnTo: string, idToken: string | undefined): Promise<URL | undefined>
}

type Options = {
  scope: string
  /** Sends all requests, instead of the global `fetch`. */
  fetch?: CustomFetch
  /** True if the claims of a token need those of the user info, too. */
  needsUserInfo(claims: IDToken): boolean
}

/** Each call to the issuer. */
const timeoutSeconds = 5
/** The issuer's metadata is read again after this time. Its keys are read again when a token has an unknown one. */
const metadataMs = 3_600_000
/** The clocks of both may differ by this much. */
const toleranceSeconds = 30
const maxSubjectLength = 255

/**
 * A client of an issuer of OpenID Connect. Requests go only to it and to the addresses in its metadata. Tokens are accepted only with the
 * issuer's signature, although they come over TLS.
 */
export function oidcClient(
  { issuer, clientId, clientSecret }: OidcSettings,
  { scope, fetch, needsUserInfo }: Options,
): OidcClient {
  let known: { configuration: Promise<Configuration>; readAtMs: number } | undefined

  const read = async () => {
    const address = new URL(issuer)
    const execute = [enableNonRepudiationChecks, ...(isLoopbackHost(address.hostname) ? [allowInsecureRequests] : [])]
    const options = { execute, timeout: timeoutSeconds, ...(fetch && { [customFetch]: fetch }) }
    const metadata = { [clockTolerance]: toleranceSeconds }
    return discovery(address, clientId, metadata, clientSecret === '' ? None() : authenticationBy(clientSecret), options)
  }

  async function configured(): Promise<Configuration> {
    const readAtMs = performance.now()
    if (known === undefined || readAtMs - known.readAtMs > metadataMs) {
      const configuration = read()
      known = { configuration, readAtMs }
      configuration.catch(() => {
        known = undefined
      })
    }
    return known.configuration.catch((error: unknown) => {
      throw unavailable(error)
    })
  }

  return {
    async begin(redirectUri, asksAgain = false) {
      const configuration = await configured()
      const checks = { verifier: randomPKCECodeVerifier(), state: randomState(), nonce: randomNonce() }
      const address = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope,
        code_challenge: await calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
        state: checks.state,
        nonce: checks.nonce,
        ...(asksAgain && { prompt: 'login' }),
      })
      return { address, checks }
    },

    async finish(response, { verifier, state, nonce }) {
      const configuration = await configured()
      try {
        const tokens = await authorizationCodeGrant(configuration, response, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        const claims = tokens.claims() as IDToken
        rejectUnusable(claims)
        const more = needsUserInfo(claims) ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
        return { claims: { ...more, ...claims, iss: claims.iss, sub: claims.sub }, idToken: tokens.id_token ?? '' }
      } catch (error) {
        throw asSignInError(error)
      }
    },

    async signOutAddress(returnTo, idToken) {
      const configuration = await configured()
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
      const parameters = new URLSearchParams({ post_logout_redirect_uri: returnTo })
      if (idToken !== undefined) parameters.set('id_token_hint', idToken)
      return buildEndSessionUrl(configuration, parameters)
    },
  }
}

/** Some issuers accept the secret only in the body, and say so. */
const authenticationBy =
  (clientSecret: string): ReturnType<typeof ClientSecretBasic> =>
  (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const useBody = !methods.includes('client_secret_basic') && methods.includes('client_secret_post')
    return (useBody ? ClientSecretPost : ClientSecretBasic)(clientSecret)(server, client, body, headers)
  }

/** The library does not compare when a token was issued. */
function rejectUnusable({ sub, iat }: IDToken): void {
  if (sub === '' || sub.length > maxSubjectLength || iat > Date.now() / 1000 + toleranceSeconds) throw unverified(undefined)
}

function asSignInError(error: unknown): unknown {
  if (error instanceof AppError) return error
  if (error instanceof AuthorizationResponseError) return new AppError('forbidden', cancelled, { cause: error })
  if (error instanceof ResponseBodyError) return error.status >= 500 ? unavailable(error) : unverified(error)
  const { code = '', cause } = error as { code?: string; cause?: unknown }
  const { status } = (cause ?? {}) as { status?: number }
  if (!code.startsWith('OAUTH_') || code === 'OAUTH_TIMEOUT' || (status ?? 0) >= 500) return unavailable(error)
  return unverified(error)
}

const cancelled = 'The sign-in was not finished at the service that you came from. Start again.'

const unverified = (cause: unknown): AppError =>
  new AppError('forbidden', 'The sign-in could not be verified, or it was used before. Start again.', { cause })

/** Our own `fetch` says why, and what to do. */
function unavailable(cause: unknown): AppError {
  for (let error = cause; error instanceof Error; error = error.cause) if (error instanceof AppError) return error
  const message = 'The service at which you sign in does not respond. Try again in a few minutes.'
  return new AppError('provider_unavailable', message, { cause })
}
