import type { Network } from '../../shared/network/network.ts'
import type { OidcClient } from '../../shared/oidc/oidc-client.ts'
import { issuerPresets, type SsoIssuer } from '../../shared/schemas/sso-issuer.ts'
import { issuerSecret, scimToken } from '../../shared/settings/listed-secrets.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { issuerFetch } from './issuer-fetch.ts'
import { needsUserInfo } from './read-claims.ts'

export type Issuers = {
  /** The issuers at which people can sign in. */
  list(): readonly SsoIssuer[]
  /** The entry of an issuer and its client, which keeps metadata and keys as long as the settings stay the same. */
  open(name: string): Promise<{ entry: SsoIssuer; client: OidcClient } | undefined>
  /** The entry of an issuer that provisions users and groups, and the token that it sends. Undefined if it does not. */
  provisioning(name: string): { entry: SsoIssuer; token: string } | undefined
}

type IssuersPorts = { settings: Pick<SettingsStore, 'get' | 'getSecret'>; network: Network }

/** The issuers in `sso.issuers`. The library is loaded at the first sign-in. */
export function openIssuers({ settings, network }: IssuersPorts): Issuers {
  const clients = new Map<string, { made: string; client: Promise<OidcClient> }>()

  async function makeClient(entry: SsoIssuer, clientSecret: string): Promise<OidcClient> {
    const { oidcClient } = await import('../../shared/oidc/oidc-client.ts')
    const { issuer, clientId, kind } = entry
    const scopes = entry.scopes ?? issuerPresets[kind].scopes
    return oidcClient(
      { issuer, clientId, clientSecret },
      {
        scope: scopes.join(' '),
        fetch: issuerFetch(entry, network),
        needsUserInfo: (claims) => needsUserInfo(entry, claims),
      },
    )
  }

  return {
    list: () => settings.get('sso.issuers'),
    async open(name) {
      const entry = settings.get('sso.issuers').find((each) => each.name === name)
      if (entry === undefined) return undefined
      const clientSecret = settings.getSecret(issuerSecret(name)) ?? ''
      const made = JSON.stringify([entry, clientSecret])
      const known = clients.get(name)
      if (known?.made === made) return { entry, client: await known.client }
      const client = makeClient(entry, clientSecret)
      clients.set(name, { made, client })
      return { entry, client: await client }
    },
    provisioning(name) {
      const entry = settings.get('sso.issuers').find((each) => each.name === name)
      const token = entry && settings.getSecret(scimToken(name))
      return entry && token !== undefined ? { entry, token } : undefined
    },
  }
}

/** The words after "Sign in with" on the sign-in page. */
export const labelOf = ({ label, kind }: Pick<SsoIssuer, 'label' | 'kind'>): string => label ?? issuerPresets[kind].label
