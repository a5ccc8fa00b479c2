import { developmentPair, vendorDir, vendorKeys } from '../../shared/keys/vendor-keys.ts'
import type { Licenses } from '../access/licenses.ts'

type VendorPemsPorts = { dataDir: string; loopback: boolean; licenses: Pick<Licenses, 'trustedKeys'> }

/** The valid keys: the vendor's. In development, if only this machine can reach the server, throw-away keys and the trusted ones. */
export function vendorPems({ dataDir, loopback, licenses }: VendorPemsPorts) {
  const { development, license } = vendorKeys(vendorDir)
  const throwAway = development && loopback
  return {
    async publicPems(): Promise<readonly string[]> {
      if (!development) return license === undefined ? [] : [license]
      return throwAway ? [developmentPair(dataDir, 'license').publicPem, ...(await licenses.trustedKeys())] : []
    },
    /** Signs bundles; undefined if they are not signed. */
    signingPem: throwAway ? developmentPair(dataDir, 'bundle').privatePem : undefined,
  }
}
