import { Command } from 'commander'
import { addLicenseCommands } from '../../shared/cli/add-license-commands.ts'
import type { Install } from '../../shared/cli/install.ts'
import { runProgram } from '../../shared/cli/run-program.ts'
import { vendorDir } from '../../shared/keys/vendor-keys.ts'
import { openDataDir } from '../../shared/store/open-data-dir.ts'
import { hostedDataDir } from '../local/local-config.ts'
import { withAdmin } from './admin.ts'

/** Files in the data directory are readable only by their owner, unlike the public keys that `keygen` creates. */
const dataDir = () => {
  process.umask(0o077)
  return openDataDir(hostedDataDir(process.env))
}
const install: Install = {
  dataDir,
  env: { licenseKey: undefined, host: '127.0.0.1' },
  vendorDir,
  now: () => new Date(),
}

const program = new Command('carrel license').description('Issues and revokes licenses of the hosted half in DATA_DIR.')
addLicenseCommands(program, install, (work) =>
  withAdmin(dataDir, async ({ run }) =>
    work({
      record: (license) => run<void>('recordLicense', license),
      revoke: async (id) => (await run<{ known: boolean }>('revokeLicense', { id })).known,
      trust: (pem) => run<void>('trustLicenseKey', { pem }),
    }),
  ),
)
await runProgram(program)
