import { developmentPair, vendorDir, vendorKeys } from '../../shared/keys/vendor-keys.ts'
import type { Licenses } from '../access/licenses.ts'

type VendorPemsPorts = { dataDir: string; loopback: boolean; licenses: Pick<Licenses, 'trustedKeys'> }

/** Which keys count: the vendor's; while there are none and only this machine can ask, throw-away ones and those that were trusted. */
export function vendorPems({ dataDir, loopback, licenses }: VendorPemsPorts) {
  const { development, license } = vendorKeys(vendorDir)
  const throwAway = development && loopback
  return {
    async publicPems(): Promise<readonly string[]> {
      if (!development) return license === undefined ? [] : [license]
      return throwAway ? [developmentPair(dataDir, 'license').publicPem, ...(await licenses.trustedKeys())] : []
    },
    /** What bundles are signed with; undefined where they are not. */
    signingPem: throwAway ? developmentPair(dataDir, 'bundle').privatePem : undefined,
  }
}
