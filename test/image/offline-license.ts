import { signLicense } from '../../shared/keys/license.ts'

/** A license that is valid for a day if the server has the public key of this pair. */
export const offlineLicense = (privatePem: string): Promise<string> => {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  return signLicense({ id: 'image', customer: 'Acme', kind: 'offline', expiresAt }, privatePem)
}
