import { checkVendorSecrets, parseOriginSecret } from './parse-secrets.ts'
import { production } from './stage.ts'

/**
 * The Router sends this secret to the functions, which reject all other callers. During a rotation it has two values, first
 * `old,new`, then `new,old`: the Router sends the first, and the functions accept both.
 */
export const originSecret = new sst.Secret('OriginSecret')

export const sentOriginSecret = originSecret.value.apply((value) => parseOriginSecret(value)[0] ?? '')

/** Optional except in production. Without them, bundles are unsigned, and only licenses of trusted development keys are valid. */
const unlessProduction = production ? undefined : ''

/** The private half of the vendor's bundle key, which signs manifests. If it has several keys, the first one signs. */
export const bundleKey = new sst.Secret('BundleKey', unlessProduction)

/** Only workers use it, and only for the repositories of libraries that were added as private. */
export const gitHubToken = new sst.Secret('GitHubToken', '')
export const gitLabToken = new sst.Secret('GitLabToken', '')

/** The secret of the dashboard at OIDC_ISSUER. A stage without that variable has an issuer of its own. */
export const oidcClientSecret = new sst.Secret('OidcClientSecret', '')

/**
 * The public half of the vendor's license key. The private half is never deployed. While a new key replaces an old one, it has both,
 * one after the other, and the licenses of both are valid.
 */
export const licenseKey = new sst.Secret('LicenseKey', unlessProduction)

$resolve([licenseKey.value, bundleKey.value]).apply(([license, bundle]) => checkVendorSecrets({ license, bundle, production }))
