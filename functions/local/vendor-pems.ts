import { developmentPair } from '../../shared/keys/development-pair.ts'
import { type VendorSources, vendorKeys } from '../../shared/keys/vendor-keys.ts'
import type { Licenses } from '../access/licenses.ts'

type VendorPemsPorts = VendorSources & { loopback: boolean; licenses: Pick<Licenses, 'trustedKeys'> }

/** The valid keys: the vendor's. In development, if only this machine can reach the server, throw-away keys and the trusted ones. */
export function vendorPems({ loopback, licenses, ...sources }: VendorPemsPorts) {
  const { development, license } = vendorKeys(sources)
  const { dataDir } = sources
  const throwAway = development && loopback
  return {
    async publicPems(): Promise<readonly string[]> {
      if (!development) return license
      return throwAway ? [developmentPair(dataDir, 'license').publicPem, ...(await licenses.trustedKeys())] : []
    },
    /** Signs bundles; undefined if they are not signed. */
    signingPem: throwAway ? developmentPair(dataDir, 'bundle').privatePem : undefined,
  }
}
