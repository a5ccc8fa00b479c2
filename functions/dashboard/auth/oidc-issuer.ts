import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
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
import { AppError } from '../../../shared/errors.ts'
import { isLoopbackHost } from '../../../shared/network/private-address.ts'
import { shortText } from '../../../shared/schemas/short-text.ts'
import type { Flow } from '../../access/flows.ts'
import type { Identity } from '../../access/users.ts'

/** An empty secret is that of a public client, which only PKCE protects. */
export type IssuerSettings = { issuer: string; clientId: string; clientSecret: string }

/** Signs people in with OpenID Connect. */
export type Issuer = {
  /**
   * The address to which a browser is sent, and what the response must match. `asksAgain`: the issuer asks who signs in although somebody has
   * in this browser. Throws provider_unavailable.
   */
  begin(redirectUri: string, asksAgain?: boolean): Promise<{ address: URL; checks: Omit<Flow, 'next'> }>
  /** The verified identity in the issuer's response to `begin`. Throws forbidden, validation_error, provider_unavailable. */
  finish(response: URL, checks: Omit<Flow, 'next'>): Promise<Identity>
}

/** Each call to the issuer. */
const timeoutSeconds = 5
/** The issuer's metadata is read again after this time. Its keys are read again when a token has an unknown one. */
const metadataMs = 3_600_000
const toleranceSeconds = 30
const scope = 'openid email profile'
/** RFC 5321. */
const maxEmailLength = 254
const maxSubjectLength = 255

const Name = shortText(200)
const Email = shortText(maxEmailLength).regex(/^[^\s@]+@[^\s@]+$/)

/**
 * The issuer of OIDC_ISSUER. Requests go only to it and to the addresses in its metadata. Tokens are accepted only with the issuer's
 * signature, although they come over TLS.
 */
export function oidcIssuer({ issuer, clientId, clientSecret }: IssuerSettings): Issuer {
  let known: { configuration: Promise<Configuration>; readAtMs: number } | undefined

  const read = () => {
    const address = new URL(issuer)
    const execute = [enableNonRepudiationChecks, ...(isLoopbackHost(address.hostname) ? [allowInsecureRequests] : [])]
    const authentication = clientSecret === '' ? None() : ClientSecretBasic(clientSecret)
    return discovery(address, clientId, { [clockTolerance]: toleranceSeconds }, authentication, {
      execute,
      timeout: timeoutSeconds,
    })
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
        const more = claims.email === undefined ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
        return identityOf({ ...claims, ...more, iss: claims.iss, sub: claims.sub })
      } catch (error) {
        throw asSignInError(error)
      }
    },
  }
}

/** Throws forbidden if the address is not verified. Some issuers write `true` as a text. */
function identityOf({ iss, sub, email, email_verified, name }: UserInfoResponse & { iss: string }): Identity {
  const address = Email.safeParse(email)
  if (!address.success || (email_verified !== true && (email_verified as unknown) !== 'true'))
    throw new AppError(
      'forbidden',
      'The service at which you signed in has not verified your e-mail address. Verify it there first.',
    )
  if (sub === '' || sub.length > maxSubjectLength) throw unverified(undefined)
  const shown = Name.safeParse(name)
  return { issuer: iss, sub, email: address.data, name: shown.success ? shown.data : address.data }
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

const unavailable = (cause: unknown): AppError =>
  new AppError('provider_unavailable', 'The service at which you sign in does not respond. Try again in a few minutes.', {
    cause,
  })
