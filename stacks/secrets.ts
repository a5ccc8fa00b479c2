import { production } from './stage.ts'

const minOriginSecretLength = 32

/**
 * The Router sends this secret to the functions, which reject all other callers. During a rotation it has two values, first
 * `old,new`, then `new,old`: the Router sends the first, and the functions accept both.
 */
export const originSecret = new sst.Secret('OriginSecret')

export const sentOriginSecret = originSecret.value.apply((value) => {
  const secrets = value.split(',')
  const [sent = ''] = secrets
  if (secrets.some((each) => each.length < minOriginSecretLength || !/^[\w-]+$/.test(each)))
    throw new Error(
      `Each value of OriginSecret needs ${minOriginSecretLength} or more letters and digits: sst secret set OriginSecret $(openssl rand -hex 32)`,
    )
  return sent
})

/** Optional except in production. Without them, bundles are unsigned, and only licenses of trusted development keys are valid. */
const unlessProduction = production ? undefined : ''

/** The private half of the vendor's bundle key, which signs manifests. */
export const bundleKey = new sst.Secret('BundleKey', unlessProduction)

/** Only workers use it, and only for the repositories of libraries that were added as private. */
export const gitHubToken = new sst.Secret('GitHubToken', '')
export const gitLabToken = new sst.Secret('GitLabToken', '')

/** The public half of the vendor's license key. The private half is never deployed. */
export const licenseKey = new sst.Secret('LicenseKey', unlessProduction)

licenseKey.value.apply((pem) => {
  if (production && pem.trim() === '')
    throw new Error(
      'LicenseKey is empty, so development keys would be valid. Set it to the public half of the license key: sst secret set LicenseKey',
    )
  if (pem.includes('PRIVATE'))
    throw new Error(
      'LicenseKey must be the public half of the license key. Create a new pair, because the private half was exposed.',
    )
})
