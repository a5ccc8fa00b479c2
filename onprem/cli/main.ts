import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { addSettingsCommands, hostedSettings } from '../../shared/cli/add-settings-commands.ts'
import type { Install } from '../../shared/cli/install.ts'
import { isStage } from '../../shared/cli/is-stage.ts'
import { runProgram } from '../../shared/cli/run-program.ts'
import { vendorDir } from '../../shared/keys/vendor-keys.ts'
import { openDataDir } from '../../shared/store/open-data-dir.ts'
import { addContentCommands } from './add-content-commands.ts'
import { addInstallLicenseCommands } from './add-install-license-commands.ts'
import { addKeysCommands } from './add-keys-commands.ts'
import { record } from './record.ts'

const { DATA_DIR, HOST, LICENSE_KEY } = process.env
const dataDir = DATA_DIR || './data'
/** Programs of the hosted half, which an on-premise image does not contain. */
const hostedProgram = (name: string) => fileURLToPath(new URL(`../../functions/cli/${name}.ts`, import.meta.url))

const install: Install = {
  dataDir: () => openDataDir(dataDir),
  env: { licenseKey: LICENSE_KEY, host: HOST || '127.0.0.1' },
  vendorDir,
  now: () => new Date(),
}

const program = new Command('carrel').description(
  'Administers the install in DATA_DIR (default ./data), also while its server is running.',
)

/** The hosted half stores licenses in its own tables. */
const isHosted = isStage(process.env) || existsSync(join(dataDir, 'dynamodb'))
const recordChange = (db: DatabaseSync, name: string, what: string) => record(db, install, `setting.${what}`, name)
addSettingsCommands(program, install, recordChange, isHosted ? hostedSettings : undefined)
if (isHosted) {
  program.command('license', 'licenses that the hosted half issues', { executableFile: hostedProgram('license') })
} else {
  addKeysCommands(program, install)
  addContentCommands(program, install)
  addInstallLicenseCommands(program, install)
}
if (existsSync(hostedProgram('hosted'))) {
  program.command('hosted', 'the hosted half: teamspaces, keys, libraries, bundles', { executableFile: hostedProgram('hosted') })
}

await runProgram(program)
