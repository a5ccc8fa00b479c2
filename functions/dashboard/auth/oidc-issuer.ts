import { AppError } from '../../../shared/errors.ts'
import {
  type OidcChecks,
  type OidcClaims,
  type OidcClient,
  type OidcSettings,
  oidcClient,
} from '../../../shared/oidc/oidc-client.ts'
import { shortText } from '../../../shared/schemas/short-text.ts'
import type { Identity } from '../../access/users.ts'

export type IssuerSettings = OidcSettings

/** Signs people in with OpenID Connect. */
export type Issuer = Pick<OidcClient, 'begin'> & {
  /** The verified identity in the issuer's response to `begin`. Throws forbidden, validation_error, provider_unavailable. */
  finish(response: URL, checks: OidcChecks): Promise<Identity>
}

const scope = 'openid email profile'
/** RFC 5321. */
const maxEmailLength = 254

const Name = shortText(200)
const Email = shortText(maxEmailLength).regex(/^[^\s@]+@[^\s@]+$/)

/** The issuer of OIDC_ISSUER. */
export function oidcIssuer(settings: IssuerSettings): Issuer {
  const client = oidcClient(settings, { scope, needsUserInfo: ({ email }) => email === undefined })
  return {
    begin: (redirectUri, asksAgain) => client.begin(redirectUri, asksAgain),
    finish: async (response, checks) => identityOf((await client.finish(response, checks)).claims),
  }
}

/** Throws forbidden if the address is not verified. Some issuers write `true` as a text. */
function identityOf({ iss, sub, email, email_verified, name }: OidcClaims): Identity {
  const address = Email.safeParse(email)
  if (!address.success || (email_verified !== true && (email_verified as unknown) !== 'true'))
    throw new AppError(
      'forbidden',
      'The service at which you signed in has not verified your e-mail address. Verify it there first.',
    )
  const shown = Name.safeParse(name)
  return { issuer: iss, sub, email: address.data, name: shown.success ? shown.data : address.data }
}
