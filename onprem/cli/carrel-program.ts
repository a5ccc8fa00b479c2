import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { addSettingsCommands, hostedSettings } from '../../shared/cli/add-settings-commands.ts'
import type { Install } from '../../shared/cli/install.ts'
import { isStage } from '../../shared/cli/is-stage.ts'
import { AppError } from '../../shared/errors.ts'
import { vendorKeyFiles, vendorKeys } from '../../shared/keys/vendor-keys.ts'
import { hasDatabase } from '../../shared/store/database.ts'
import { isDataDirLocked, openDataDir } from '../../shared/store/open-data-dir.ts'
import { hasUnfinishedRestore } from '../../shared/store/restore-journal.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { commandName } from '../../shared/system/command-name.ts'
import { packageVersion } from '../../shared/system/package-version.ts'
import { rejectUnusableFolder } from '../actions/change-settings.ts'
import { addContentCommands } from './add-content-commands.ts'
import { addHostedCommand } from './add-hosted-command.ts'
import { addInstallLicenseCommands } from './add-install-license-commands.ts'
import { addKeysCommands } from './add-keys-commands.ts'
import { addRestoreCommand } from './add-restore-command.ts'
import { addStartCommand } from './add-start-command.ts'
import { addUsersCommands } from './add-users-commands.ts'
import { addVacuumCommand } from './add-vacuum-command.ts'
import { choosePrivate } from './api/choose-private.ts'
import { rejectOtherVersion } from './api/reject-other-version.ts'
import { type RunVerb, withConnection } from './api/with-connection.ts'
import { addCompletionCommand } from './completion/add-completion-command.ts'
import { addDoctorCommand } from './doctor/add-doctor-command.ts'
import { recorded } from './recorded.ts'
import { addSetupCommand } from './setup/add-setup-command.ts'
import { addVerb } from './verbs/add.ts'
import { askVerb } from './verbs/ask.ts'
import { backupVerb } from './verbs/backup.ts'
import { importVerb } from './verbs/import.ts'
import { jobsVerb } from './verbs/jobs.ts'
import { listVerb } from './verbs/list.ts'
import { refreshVerb } from './verbs/refresh.ts'
import { removeVerb } from './verbs/remove.ts'
import { searchVerb } from './verbs/search.ts'

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
    recorded: (db, change) => recorded(db, install, (record) => change((what, name) => record(`setting.${what}`, name))),
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

function addBackupCommands(program: Command, install: Install): void {
  backupVerb(program, runExisting(install))
  addRestoreCommand(program, install)
  addVacuumCommand(program, install)
}

/** The commands in the order of the help. Only those in `creating` may create an install. */
const verbs = [addVerb, listVerb, searchVerb, askVerb, refreshVerb, removeVerb, jobsVerb, importVerb]
const creating = [addVerb, importVerb]

/** Adds the commands that use the API: with a running server, or with the same server in this process. */
function addLibraryCommands(program: Command, install: Install): void {
  for (const verb of verbs) verb(program, creating.includes(verb) ? withConnection(install) : runExisting(install))
}

/** Like `withConnection`, but creates no install. */
const runExisting =
  (install: Install): RunVerb =>
  async (name, work) => {
    install.requireInstall?.()
    await withConnection(install)(name, work)
  }

/** Throws not_found if the data directory holds no install. Creates nothing. A server that starts has the lock before it has a database. */
function requireInstall(dataDir: string, command: string): void {
  if (hasDatabase(dataDir) || isDataDirLocked(dataDir) || hasUnfinishedRestore(dataDir)) return
  // If it is a file, opening it as a folder reports that.
  if (statSync(dataDir, { throwIfNoEntry: false })?.isFile()) return
  throw new AppError(
    'not_found',
    `DATA_DIR ${dataDir} holds no install. Set DATA_DIR to the folder of an install, or create one there: "${command} start" starts a server, "${command} add owner/repo" adds a library.`,
  )
}
