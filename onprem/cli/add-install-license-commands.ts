import type { Command } from 'commander'
import { answer, type Install, remark, withDatabase } from '../../shared/cli/install.ts'
import { addLicenseCommands } from '../../shared/cli/license.ts'
import { resolveLicense } from '../access/resolve-license.ts'
import { sqliteLicenses } from '../store/license-records.ts'

export function addInstallLicenseCommands(program: Command, install: Install): void {
  const license = program.command('license').description('show the license of this install, and issue licenses')
  addLicenseCommands(license, install, (work) => withDatabase(install, (db) => work(sqliteLicenses(db, install.now))))

  license
    .command('show')
    .description('print the license that a server with this LICENSE_KEY would use')
    .action(async () => {
      const { license, note } = await withDatabase(install, (db) =>
        resolveLicense({ ...install, dataDir: install.dataDir(), licenses: sqliteLicenses(db, install.now) }, install.env),
      )
      const { id, customer, kind, expiresAt, cloudUrl = '-', teamspace = '-' } = license
      for (const line of Object.entries({ id, customer, kind, expires: expiresAt, 'cloud url': cloudUrl, teamspace })) {
        answer(line.join('\t'))
      }
      if (note !== undefined) remark(note)
    })
}
