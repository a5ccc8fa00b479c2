import type { IssuerKind } from '../../../../shared/schemas/sso-issuer.ts'

export const issuerKindLabels: Record<IssuerKind, string> = {
  oidc: 'OpenID Connect',
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  keycloak: 'Keycloak',
  google: 'Google',
  gitlab: 'GitLab',
}

/** Addresses of issuers of each kind, as examples. */
export const issuerExamples: Record<IssuerKind, string> = {
  oidc: 'https://id.example.com',
  entra: 'https://login.microsoftonline.com/TENANT/v2.0',
  okta: 'https://example.okta.com',
  keycloak: 'https://keycloak.example.com/realms/REALM',
  google: 'https://accounts.google.com',
  gitlab: 'https://gitlab.example.com',
}
