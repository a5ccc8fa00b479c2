import { production } from './stage.ts'

const minOriginSecretLength = 32

/**
 * What the Router tells the functions behind it, so that they answer nobody else. While it is rotated it holds two values, `new,old`:
 * the Router sends the first and the functions take both.
 */
export const originSecret = new sst.Secret('OriginSecret')

export const sentOriginSecret = originSecret.value.apply((value) => {
  const [sent = ''] = value.split(',')
  if (sent.length < minOriginSecretLength || !/^[\w-]+$/.test(sent))
    throw new Error(
      `OriginSecret needs ${minOriginSecretLength} or more letters and digits: sst secret set OriginSecret $(openssl rand -hex 32)`,
    )
  return sent
})

/** A stage that is not production may go without: its bundles are unsigned, and it takes the licenses of trusted development keys alone. */
const unlessProduction = production ? undefined : ''

/** The private half of the vendor's bundle key, which signs manifests. */
export const bundleKey = new sst.Secret('BundleKey', unlessProduction)

/** Read private repositories: of the libraries alone that were added as private. Workers alone are given them. */
export const gitHubToken = new sst.Secret('GitHubToken', '')
export const gitLabToken = new sst.Secret('GitLabToken', '')

/** The public half of the vendor's license key. The private half never comes near a stage. */
export const licenseKey = new sst.Secret('LicenseKey', unlessProduction)

licenseKey.value.apply((pem) => {
  if (production && pem.trim() === '')
    throw new Error('LicenseKey is empty, so that development keys would count: sst secret set LicenseKey with the public half.')
  if (pem.includes('PRIVATE'))
    throw new Error('LicenseKey is the public half of the license key: make a new pair, this one has been shown.')
})
