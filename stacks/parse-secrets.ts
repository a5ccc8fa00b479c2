import { publicHalf, readPrivateKeys, readPublicKeys } from '../shared/keys/key-pair.ts'

/** CloudFront's function contains the secret, and its code has at most 10 kB. */
const originSecretShape = /^[\w-]{32,64}$/

/** The values of OriginSecret: one, or two while it is rotated. Throws with advice. */
export function parseOriginSecret(secret: string): string[] {
  const values = secret.split(',')
  if (values.length <= 2 && values.every((value) => originSecretShape.test(value))) return values
  throw new Error(
    'Each value of OriginSecret needs 32 to 64 letters and digits, and it has one, or two while it is rotated: sst secret set OriginSecret $(openssl rand -hex 32)',
  )
}

type VendorSecrets = { license: string; bundle: string; production: boolean }

/** Checks the lists of keys in LicenseKey and BundleKey. Throws with advice; an empty one is an error only in production. */
export function checkVendorSecrets({ license, bundle, production }: VendorSecrets): void {
  const ofLicenses = 'the public half of the license key (license.pub.pem)'
  const ofBundles = 'the private half of the bundle key (bundle.pem)'
  const licensePems = keysIn({ name: 'LicenseKey', secret: license, what: ofLicenses, production }, readPublicKeys)
  const bundlePems = keysIn({ name: 'BundleKey', secret: bundle, what: ofBundles, production }, readPrivateKeys)
  if (bundlePems.some((pem) => licensePems.includes(publicHalf(pem) ?? '')))
    throw new Error(
      'LicenseKey and BundleKey are halves of one pair: anyone who reads BundleKey could sign licenses. Use two pairs.',
    )
}

type VendorSecret = { name: string; secret: string; what: string; production: boolean }

function keysIn({ name, secret, what, production }: VendorSecret, read: (text: string) => string[] | undefined): string[] {
  const advice = `Set it to ${what}: sst secret set ${name} < FILE`
  const isEmpty = secret.trim() === ''
  if (isEmpty && production) throw new Error(`${name} is empty. ${advice}`)
  const keys = isEmpty ? [] : read(secret)
  if (keys) return keys
  const exposed = name === 'LicenseKey' && secret.includes('PRIVATE KEY')
  throw new Error(`${name} is malformed. ${advice}${exposed ? '. A private half was exposed: create a new pair.' : ''}`)
}
