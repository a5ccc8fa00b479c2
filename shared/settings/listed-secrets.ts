import { type HostSecretName, isHostSecret } from './git-secrets.ts'

/** Secrets of the issuers in `sso.issuers`, by the names of these. */
export type IssuerSecretName = `sso.issuers.${string}.${'clientSecret' | 'scimToken'}`
export const issuerSecretPattern = /^sso\.issuers\.([a-z][a-z0-9-]{0,29})\.(clientSecret|scimToken)$/

export const issuerSecret = (name: string): IssuerSecretName => `sso.issuers.${name}.clientSecret`

/** The secret with which an issuer provisions users and groups. */
export const scimToken = (name: string): IssuerSecretName => `sso.issuers.${name}.scimToken`

export const isScimToken = (name: string): boolean => issuerSecretPattern.exec(name)?.[2] === 'scimToken'

export const isIssuerSecret = (name: string): name is IssuerSecretName => issuerSecretPattern.test(name)

/** The secret of an entry of a list, whose name is a part of its own. */
export type ListedSecretName = HostSecretName | IssuerSecretName

export const isListedSecret = (name: string): name is ListedSecretName => isHostSecret(name) || isIssuerSecret(name)

/** The setting with the list that a secret belongs to. */
export const listOfSecret = (name: ListedSecretName) => (isHostSecret(name) ? 'git.hosts' : 'sso.issuers')
