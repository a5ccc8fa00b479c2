import type { Command } from 'commander'
import { addLicenseCommands } from '../../shared/cli/add-license-commands.ts'
import { type Install, withDatabase, withExistingDatabase } from '../../shared/cli/install.ts'
import { printRemark } from '../../shared/cli/print.ts'
import { jsonOption, printFields } from '../../shared/cli/print-list.ts'
import { developmentPublicKey } from '../../shared/keys/development-pair.ts'
import { resolveLicense } from '../access/resolve-license.ts'
import { sqliteLicenses } from '../store/license-records.ts'

export function addInstallLicenseCommands(program: Command, install: Install): void {
  const license = program.command('license').description('show the license of this install, and issue licenses')
  addLicenseCommands(license, install, (work) => withDatabase(install, (db) => work(sqliteLicenses(db, install.now))))

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
