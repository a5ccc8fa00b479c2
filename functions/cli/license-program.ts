import { resolve } from 'node:path'
import { Command } from 'commander'
import { licenseCommands } from '../../shared/cli/commands/license.ts'
import type { Install } from '../../shared/cli/install.ts'
import { vendorKeyFiles, vendorKeys } from '../../shared/keys/vendor-keys.ts'
import { openDataDir } from '../../shared/store/open-data-dir.ts'
import { commandName } from '../../shared/system/command-name.ts'
import { readCommandEnvironment } from '../local/local-config.ts'
import { withAdmin } from './api/admin.ts'

export function licenseProgram(): Command {
  const environment = readCommandEnvironment(process.env)
  const dataDirPath = resolve(environment.DATA_DIR)
  /** Files in the data directory are readable only by their owner, unlike the public keys that `keygen` creates. */
  const dataDir = () => {
    process.umask(0o077)
    return openDataDir(dataDirPath)
  }
  const install: Install = {
    dataDir,
    dataDirPath,
    env: { licenseKey: undefined, host: '127.0.0.1' },
    vendorKeys: () => vendorKeys({ keyFiles: vendorKeyFiles(environment), dataDir: dataDirPath }),
    command: commandName(),
    now: () => new Date(),
  }

  const program = new Command('carrel license').description('Issues and revokes licenses of the hosted half in DATA_DIR.')
  licenseCommands(program, install, (work) =>
    withAdmin(dataDir, async ({ run }) =>
      work({
        record: (license) => run<void>('recordLicense', license),
        // A license that was not issued here can be revoked, too.
        revoke: async (id) => (await run('revokeLicense', { id })) !== undefined,
        trust: (pem) => run<void>('trustLicenseKey', { pem }),
      }),
    ),
  )
  return program
}
