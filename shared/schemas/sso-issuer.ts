import { z } from 'zod'
import { AllowedHost } from '../network/allowed-host.ts'
import { BaseUrl } from './base-url.ts'
import { shortText } from './short-text.ts'

export const issuerKinds = ['oidc', 'entra', 'okta', 'keycloak', 'google', 'gitlab'] as const
export type IssuerKind = (typeof issuerKinds)[number]

type IssuerPreset = { label: string; scopes: string[]; groupsClaim: string; scimClaim: string; hosts: string[] }

/** The needs of an issuer of each kind, unless its entry says otherwise. `groupsClaim` is empty if it has none. */
export const issuerPresets: Record<IssuerKind, IssuerPreset> = {
  oidc: { label: 'single sign-on', scopes: ['openid', 'profile', 'email'], groupsClaim: '', scimClaim: 'sub', hosts: [] },
  entra: {
    label: 'Microsoft',
    scopes: ['openid', 'profile', 'email'],
    groupsClaim: 'groups',
    scimClaim: 'oid',
    hosts: ['graph.microsoft.com'],
  },
  okta: { label: 'Okta', scopes: ['openid', 'profile', 'email', 'groups'], groupsClaim: 'groups', scimClaim: 'sub', hosts: [] },
  keycloak: { label: 'Keycloak', scopes: ['openid', 'profile', 'email'], groupsClaim: 'groups', scimClaim: 'sub', hosts: [] },
  google: {
    label: 'Google',
    scopes: ['openid', 'profile', 'email'],
    groupsClaim: '',
    scimClaim: 'sub',
    hosts: ['oauth2.googleapis.com', 'www.googleapis.com', 'openidconnect.googleapis.com'],
  },
  gitlab: { label: 'GitLab', scopes: ['openid', 'profile', 'email'], groupsClaim: 'groups_direct', scimClaim: 'sub', hosts: [] },
}

const nameRule = 'must begin with a letter and hold only small letters, digits and hyphens, at most 30'
const kindRule = `must be one of ${issuerKinds.join(', ')}`
const scopeRule = 'must be scopes such as openid'
const domainRule = 'must be a domain such as example.com'

/** The address is kept as it is written, because a slash at its end is a part of the issuer's name. */
const IssuerUrl = z
  .string('must be a text')
  .trim()
  .superRefine((text, context) => {
    for (const { message } of BaseUrl.safeParse(text).error?.issues ?? []) context.addIssue({ code: 'custom', message })
  })

const ClaimName = z.string('must be a text').max(200, 'must not be longer than 200 characters')
/** People change these, and issuers give them to somebody else later. */
const namingClaims = ['email', 'name', 'nickname', 'preferred_username', 'unique_name', 'upn', 'given_name', 'family_name']
const ClaimValues = z.array(shortText(256)).min(1, 'must not be empty').max(100, 'must not be more than 100')

/** An issuer of OpenID Connect in the list `sso.issuers`. */
export const SsoIssuer = z.strictObject({
  name: z
    .string(nameRule)
    .regex(/^[a-z][a-z0-9-]{0,29}$/, nameRule)
    .describe('A part of the redirect address /api/auth/oidc/NAME/callback, and of the name of its secret'),
  kind: z.enum(issuerKinds, kindRule).describe('The service, whose usual scopes, hosts and claim of groups apply'),
  issuer: IssuerUrl.describe('Address of the issuer, without /.well-known/openid-configuration'),
  clientId: shortText(500).describe('Id under which the issuer knows this install'),
  label: shortText(60).optional().describe('Shown on the sign-in page; by default that of the kind'),
  scopes: z
    .array(z.string(scopeRule).regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, scopeRule))
    .max(30, 'must not be more than 30')
    .refine((scopes) => scopes.includes('openid'), 'must have openid')
    .optional()
    .describe('Instead of the usual ones of the kind'),
  hosts: z
    .array(AllowedHost)
    .max(20, 'must not be more than 20')
    .optional()
    .describe('Hosts of its tokens and keys, if they are others than that of the issuer'),
  groupsClaim: ClaimName.optional().describe('Claim that lists the groups of a person, such as groups or realm_access.roles'),
  groupNames: z
    .record(z.string().min(1).max(256), shortText(256))
    .refine((names) => Object.keys(names).length <= 1_000, 'must not be more than 1000')
    .optional()
    .describe('Names for values of the claim of groups, such as the object ids of Entra ID'),
  roleClaim: ClaimName.min(1, 'must not be empty').optional().describe('Claim that decides about the role at each sign-in'),
  adminValues: ClaimValues.optional().describe('Values of roleClaim that make an admin'),
  memberValues: ClaimValues.optional().describe('Values of roleClaim that make a member; others may then not sign in'),
  scimClaim: ClaimName.min(1, 'must not be empty')
    .refine((name) => !namingClaims.includes(name.toLowerCase()), 'must be an id that never changes, no name or e-mail address')
    .optional()
    .describe('Claim that equals the externalId of a person whom SCIM has provisioned; by default sub, for Entra ID oid'),
  allowedDomains: z
    .array(
      z
        .string(domainRule)
        .trim()
        .toLowerCase()
        .max(253, domainRule)
        .regex(/^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d](?:[a-z\d-]*[a-z\d])?$/, domainRule),
    )
    .max(100, 'must not be more than 100')
    .optional()
    .describe('Only people with a verified e-mail address of these domains may sign in'),
})
export type SsoIssuer = z.infer<typeof SsoIssuer>

const listRule = 'must be a JSON list of issuers, each with name, kind, issuer and clientId'

/** A list from JSON, or its text on the command line. */
export const SsoIssuerList = z
  .union(
    [
      z
        .string()
        .max(1_000_000)
        .transform((text, context) => {
          try {
            return JSON.parse(text) as unknown
          } catch {
            context.addIssue({ code: 'custom', message: listRule })
            return z.NEVER
          }
        }),
      z.array(z.unknown()),
    ],
    listRule,
  )
  .pipe(z.array(SsoIssuer, listRule).max(20, 'must not be more than 20'))
  .superRefine((issuers, context) => {
    for (const part of ['name', 'issuer'] as const) {
      const values = issuers.map((each) => each[part])
      const twice = values.find((value, at) => values.indexOf(value) !== at)
      if (twice !== undefined) context.addIssue({ code: 'custom', message: `has ${twice} twice` })
    }
    for (const [at, each] of issuers.entries()) {
      const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [at, field], message })
      if (each.roleClaim === undefined && (each.adminValues ?? each.memberValues))
        refuse('roleClaim', 'is required for values of it')
      if (each.roleClaim !== undefined && !each.adminValues && !each.memberValues)
        refuse('adminValues', 'or memberValues is required for a roleClaim')
      if (each.kind === 'entra' && /\/(?:common|organizations|consumers)(?:\/|$)/.test(each.issuer))
        refuse('issuer', 'must name one tenant: https://login.microsoftonline.com/TENANT/v2.0')
      if (isOpenToEverybody(each) && !each.allowedDomains?.length && !each.memberValues)
        refuse('allowedDomains', 'is required, because everybody has an account there')
    }
  })

const isOpenToEverybody = ({ kind, issuer }: SsoIssuer): boolean =>
  kind === 'google' || new URL(issuer).hostname === 'accounts.google.com' || new URL(issuer).hostname === 'gitlab.com'
