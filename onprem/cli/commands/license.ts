import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Command } from 'commander'
import { type LicenseRegistry, licenseCommands } from '../../../shared/cli/commands/license.ts'
import { type Install, withDatabase, withExistingDatabase } from '../../../shared/cli/install.ts'
import { printRemark } from '../../../shared/cli/print.ts'
import { jsonOption, printFields } from '../../../shared/cli/print-list.ts'
import { developmentPublicKey } from '../../../shared/keys/development-pair.ts'
import { resolveLicense } from '../../access/resolve-license.ts'
import { sqliteLicenses } from '../../store/license-records.ts'
import { recorded } from '../api/recorded.ts'

export function installLicenseCommands(program: Command, install: Install): void {
  const license = program.command('license').description('show the license of this install, and issue licenses')
  licenseCommands(license, install, (work) => withDatabase(install, (db) => work(recordedLicenses(db, install))))

  license
    .command('show')
    .description('print the license that a server with this LICENSE_KEY would use')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const { dataDirPath: dataDir } = install
      const developmentKey = () => developmentPublicKey(dataDir, 'license')
      const { license, note } = await withExistingDatabase(install, (db) =>
        resolveLicense(
          { ...install, dataDir, developmentKey, vendor: install.vendorKeys(), licenses: sqliteLicenses(db, install.now) },
          install.env,
        ),
      )
      const { id, customer, kind, expiresAt, cloudUrl, teamspace } = license
      if (json) printFields({ id, customer, kind, expiresAt, cloudUrl: cloudUrl ?? null, teamspace: teamspace ?? null }, { json })
      else printFields({ id, customer, kind, expires: expiresAt, 'cloud url': cloudUrl ?? '-', teamspace: teamspace ?? '-' })
      if (note !== undefined) printRemark(note)
    })
}

/** The licenses of the install, with a row of the audit log for each change. */
function recordedLicenses(db: DatabaseSync, install: Install): LicenseRegistry {
  const licenses = sqliteLicenses(db, install.now)
  return {
    record: (license) =>
      recorded(db, install, (record) => {
        licenses.record(license)
        record('license.issue', `${license.customer} (${license.id})`)
      }),
    revoke: (id) =>
      recorded(db, install, (record) => {
        if (!licenses.revoke(id)) return false
        record('license.revoke', id)
        return true
      }),
    trust: (publicPem) =>
      recorded(db, install, (record) => {
        licenses.trust(publicPem)
        record('license.trust', `SHA-256 ${createHash('sha256').update(publicPem).digest('hex')}`)
      }),
  }
}
