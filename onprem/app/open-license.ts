import type { DatabaseSync } from 'node:sqlite'
import { developmentPair } from '../../shared/keys/development-pair.ts'
import type { License } from '../../shared/keys/license.ts'
import { type VendorKeys, vendorKeyFiles, vendorKeys } from '../../shared/keys/vendor-keys.ts'
import { isLoopbackHost } from '../../shared/network/private-address.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { commandName } from '../../shared/system/command-name.ts'
import { resolveLicense } from '../access/resolve-license.ts'
import type { Config } from '../config.ts'
import { sqliteLicenses } from '../store/license-records.ts'

export type LicensePorts = {
  license: License
  /** The public keys that bundle signatures are checked with, as PEM: the vendor's, and those in the settings. */
  bundleKeys(): string[]
}

type Input = {
  config: Pick<Config, 'HOST' | 'LICENSE_KEY' | 'VENDOR_LICENSE_KEY_FILE' | 'VENDOR_BUNDLE_KEY_FILE'>
  dataDir: string
  db: DatabaseSync
  settings: SettingsStore
  now(): Date
}

/** Reads the license and the vendor's keys. `note` is a sentence about the license, for the log. Throws AppError. */
export async function openLicense({
  config,
  dataDir,
  db,
  settings,
  now,
}: Input): Promise<LicensePorts & { note: string | undefined }> {
  const vendor = vendorKeys({ keyFiles: vendorKeyFiles(config), dataDir })
  const { license, note } = await resolveLicense(
    {
      dataDir,
      vendor,
      developmentKey: () => developmentPair(dataDir, 'license').publicPem,
      command: commandName(),
      licenses: sqliteLicenses(db, now),
      now,
    },
    { licenseKey: config.LICENSE_KEY, host: config.HOST },
  )
  return { license, note, bundleKeys: () => bundleKeys(vendor, dataDir, config.HOST, settings) }
}

/** The development key is trusted on a loopback address only, like development licenses. */
function bundleKeys({ development, bundle }: VendorKeys, dataDir: string, host: string, settings: SettingsStore): string[] {
  const own = development && isLoopbackHost(host) ? [developmentPair(dataDir, 'bundle').publicPem] : bundle
  return [...own, ...settings.get('bundle.trustedKeys')]
}
