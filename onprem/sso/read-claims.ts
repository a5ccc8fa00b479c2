import { AppError } from '../../shared/errors.ts'
import { issuerPresets, type SsoIssuer } from '../../shared/schemas/sso-issuer.ts'
import type { Role } from '../accounts/key-store.ts'
import { usernameFrom } from '../accounts/user.ts'

/** A person who signs in, as the issuer describes them. */
export type Person = {
  /** The name of the claim `iss`, and the id that the person has there. */
  issuer: string
  sub: string
  /** The value of the claim by which SCIM knows the person; undefined without one. */
  externalId: string | undefined
  /** A user name that the person would like to have. */
  username: string
  /** Undefined if the issuer does not decide about it. */
  role: Role | undefined
  /** Undefined if the issuer does not decide about them. */
  groups: string[] | undefined
  /** Sentences for the log, about what an admin should change. */
  remarks: string[]
}

type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string }

const maxGroups = 10_000
const maxValueLength = 256

/** Reads the verified claims of a person as the entry of the issuer says. Throws forbidden if the person may not sign in. */
export function readClaims(entry: SsoIssuer, claims: Claims): Person {
  rejectForeignDomain(entry, claims)
  const remarks: string[] = []
  return {
    issuer: claims.iss,
    sub: claims.sub,
    externalId: valuesOf(claimIn(claims, scimClaimOf(entry)))[0],
    username: usernameIn(claims),
    role: roleIn(entry, claims),
    groups: groupsIn(entry, claims, (remark) => remarks.push(remark)),
    remarks,
  }
}

/** True if the user info is needed for a claim that the entry names. */
export function needsUserInfo(entry: SsoIssuer, claims: Readonly<Record<string, unknown>>): boolean {
  const wanted = [groupsClaimOf(entry), entry.roleClaim ?? '', entry.scimClaim ?? '', entry.allowedDomains?.length ? 'email' : '']
  return wanted.some((name) => name !== '' && claimIn(claims, name) === undefined && !isOverage(claims, name))
}

/** The claim that equals the externalId of SCIM. */
export const scimClaimOf = ({ kind, scimClaim }: Pick<SsoIssuer, 'kind' | 'scimClaim'>): string =>
  scimClaim ?? issuerPresets[kind].scimClaim

const groupsClaimOf = ({ kind, groupsClaim }: SsoIssuer): string => groupsClaim ?? issuerPresets[kind].groupsClaim

/** A claim by its name, else by its path: `realm_access.roles`. */
function claimIn(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

/** Each text is one value, whatever it looks like. */
function valuesOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  return all.filter((each): each is string => typeof each === 'string' && each !== '' && each.length <= maxValueLength)
}

/** Entra ID leaves out the groups of a person with more than 200, and names an address of its own API instead. */
function isOverage(claims: Readonly<Record<string, unknown>>, name: string): boolean {
  const names = claims._claim_names
  return (
    (typeof names === 'object' && names !== null && Object.hasOwn(names, name)) ||
    claims.hasgroups === true ||
    claims.hasgroups === 'true'
  )
}

function groupsIn(entry: SsoIssuer, claims: Claims, remark: (text: string) => void): string[] | undefined {
  const name = groupsClaimOf(entry)
  if (name === '') return undefined
  if (isOverage(claims, name) && claimIn(claims, name) === undefined) {
    remark(
      `The token does not list the groups, because there are too many. Let ${entry.name} send only the groups of this application.`,
    )
    return []
  }
  const values = valuesOf(claimIn(claims, name))
  if (values.length > maxGroups) {
    remark(`The token lists more than ${maxGroups} groups, so none counts.`)
    return []
  }
  const names = entry.groupNames ?? {}
  return [...new Set(values.map((value) => (Object.hasOwn(names, value) ? (names[value] as string) : value)))]
}

function roleIn({ name, roleClaim, adminValues = [], memberValues }: SsoIssuer, claims: Claims): Role | undefined {
  if (roleClaim === undefined) return undefined
  const values = new Set(valuesOf(claimIn(claims, roleClaim)))
  if (adminValues.some((value) => values.has(value))) return 'admin'
  if (memberValues === undefined || memberValues.some((value) => values.has(value))) return 'member'
  const reason = isOverage(claims, roleClaim) ? `${name} did not send your groups, because there are too many.` : ''
  throw new AppError('forbidden', `Your account may not use this install. ${reason || 'Ask an admin for access.'}`)
}

/** Only a verified address proves a domain. Entra ID proves it by another claim, some issuers write `true` as a text. */
function rejectForeignDomain({ kind, allowedDomains = [] }: SsoIssuer, claims: Claims): void {
  if (allowedDomains.length === 0) return
  const { email, email_verified, xms_edov } = claims
  const proofs = kind === 'entra' ? [email_verified, xms_edov] : [email_verified]
  const isVerified = proofs.some(
    (proof) => proof === true || proof === 'true' || (kind === 'entra' && (proof === 1 || proof === '1')),
  )
  // Google keeps an address verified after its mailbox is gone; only accounts of an organization have `hd`.
  const isOfOrganization = kind !== 'google' || typeof claims.hd === 'string' || allowedDomains.includes('gmail.com')
  const [, domain] = typeof email === 'string' ? (/^[^\s@]+@([^\s@]+)$/.exec(email) ?? []) : []
  if (isVerified && isOfOrganization && domain !== undefined && allowedDomains.includes(domain.toLowerCase())) return
  throw new AppError(
    'forbidden',
    isVerified
      ? 'Your e-mail address is not of a domain that may use this install. Ask an admin for access.'
      : 'The service at which you signed in has not verified your e-mail address. Verify it there first.',
  )
}

/** A name only labels the person, who is identified by issuer and subject. */
const usernameIn = ({ preferred_username, email, name, sub }: Claims): string =>
  usernameFrom([preferred_username, email, name, sub])
