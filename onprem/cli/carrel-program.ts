import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Command } from 'commander'
import { addSettingsCommands, hostedSettings } from '../../shared/cli/add-settings-commands.ts'
import type { Install } from '../../shared/cli/install.ts'
import { isStage } from '../../shared/cli/is-stage.ts'
import { vendorKeyFiles, vendorKeys } from '../../shared/keys/vendor-keys.ts'
import { openDataDir } from '../../shared/store/open-data-dir.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { commandName } from '../../shared/system/command-name.ts'
import { packageVersion } from '../../shared/system/package-version.ts'
import { rejectUnusableFolder } from '../actions/change-settings.ts'
import { addBackupCommands } from './add-backup-commands.ts'
import { addContentCommands } from './add-content-commands.ts'
import { addHostedCommand } from './add-hosted-command.ts'
import { addInstallLicenseCommands } from './add-install-license-commands.ts'
import { addKeysCommands } from './add-keys-commands.ts'
import { addLibraryCommands } from './add-library-commands.ts'
import { addStartCommand } from './add-start-command.ts'
import { addUsersCommands } from './add-users-commands.ts'
import { choosePrivate } from './api/choose-private.ts'
import { rejectOtherVersion } from './api/reject-other-version.ts'
import { addCompletionCommand } from './completion/add-completion-command.ts'
import { addDoctorCommand } from './doctor/add-doctor-command.ts'
import { record } from './record.ts'
import { requireInstall } from './require-install.ts'
import { addSetupCommand } from './setup/add-setup-command.ts'

const examples = `
Examples:
  carrel add honojs/website --wait
  carrel ask honojs/website "how do I read a cookie"
  carrel keys create --name laptop --role admin
  carrel settings set github.token -
  carrel keys list --json
  carrel doctor

"carrel COMMAND --help" explains a command. Exit codes: 0 done, 1 failed, 2 wrong usage.`

/** The command line for the environment of this process. */
export function carrelProgram(): Command {
  const { DATA_DIR, HOST, LICENSE_KEY } = process.env
  const dataDir = resolve(DATA_DIR || './data')
  /** The hosted half stores licenses in its own tables. */
  const isHosted = isStage(process.env) || existsSync(join(dataDir, 'dynamodb'))
  const command = commandName()
  const install: Install = {
    dataDir: () => openDataDir(dataDir),
    dataDirPath: dataDir,
    env: { licenseKey: LICENSE_KEY, host: HOST || '127.0.0.1' },
    vendorKeys: () => vendorKeys({ keyFiles: vendorKeyFiles(process.env), dataDir }),
    command,
    rejectOtherVersion: () => rejectOtherVersion(dataDir),
    ...(!isHosted && { requireInstall: () => requireInstall(dataDir, command) }),
    now: () => new Date(),
  }

  const program = new Command('carrel')
    .description('Documentation of software libraries for AI coding agents: manages the install in DATA_DIR (default ./data).')
    .version(packageVersion(), '-V, --version', 'print the version')
    .enablePositionalOptions()
    .usage('COMMAND [options]')
    .helpOption('-h, --help', 'print this help')
    .addHelpCommand(new Command('help').argument('[command]').description('print the help of a command').helpGroup('Install:'))
    .addHelpText('after', examples)

  const recordChange = (db: DatabaseSync, name: string, what: string) => record(db, install, `setting.${what}`, name)

  if (!isHosted) {
    program.commandsGroup('Libraries:')
    addLibraryCommands(program, install)
  }
  program.commandsGroup('Install:')
  addStartCommand(program)
  addSettingsCommands(program, install, {
    ...(isHosted
      ? { used: hostedSettings }
      : { check: (changes) => rejectUnusableFolder(install.dataDir(), changes), beforeSet: chooseWithToken(command) }),
    onChange: recordChange,
  })
  if (!isHosted) {
    addUsersCommands(program, install)
    addKeysCommands(program, install)
    addContentCommands(program, install)
    addBackupCommands(program, install)
    addDoctorCommand(program, install)
  }
  addCompletionCommand(program)
  program.commandsGroup('AI clients:')
  addSetupCommand(program, () => command)
  program.commandsGroup('Licenses:')
  if (isHosted) addHostedCommand(program, 'license', 'licenses that the hosted half issues')
  else addInstallLicenseCommands(program, install)
  program.commandsGroup('Hosted service:')
  addHostedCommand(program, 'hosted', 'the hosted half: teamspaces, keys, libraries, bundles')

  return program
}

/** An admin who stores a token of a git host chooses who can read its repositories, unless that was chosen before. */
const chooseWithToken =
  (command: string) =>
  async (settings: Pick<SettingsStore, 'get'>, name: string): Promise<{ 'permissions.hidePrivate'?: string }> =>
    /^git(hub|lab)\.token$/.test(name) && !settings.get('permissions.privateChosen')
      ? choosePrivate('This token can read private repositories.', command)
      : {}
