import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Command } from 'commander'
import { hostedSettings, settingsCommands } from '../../shared/cli/commands/settings.ts'
import type { Install } from '../../shared/cli/install.ts'
import { isStage } from '../../shared/cli/is-stage.ts'
import { AppError } from '../../shared/errors.ts'
import { vendorKeyFiles, vendorKeys } from '../../shared/keys/vendor-keys.ts'
import { isGitSecret } from '../../shared/settings/git-secrets.ts'
import { secretBox } from '../../shared/settings/secret-box.ts'
import { hasDatabase } from '../../shared/store/database.ts'
import { isDataDirLocked, openDataDir } from '../../shared/store/open-data-dir.ts'
import { hasUnfinishedRestore } from '../../shared/store/restore-journal.ts'
import { type SettingsStore, sqliteSettings } from '../../shared/store/settings-store.ts'
import { commandName } from '../../shared/system/command-name.ts'
import { packageVersion } from '../../shared/system/package-version.ts'
import { rejectDeclaredSettings } from '../access/declared-in-git.ts'
import { rejectUnusableFolder } from '../actions/change-settings.ts'
import { readCommandEnvironment } from '../config.ts'
import { declaredStore } from '../store/declared/declared-store.ts'
import { gitopsRuns } from '../store/declared/gitops-runs.ts'
import { choosePrivate } from './api/choose-private.ts'
import { recorded } from './api/recorded.ts'
import { rejectOtherVersion } from './api/reject-other-version.ts'
import { type RunCommand, withConnection } from './api/with-connection.ts'
import { accessCommands, groupsCommands } from './commands/access.ts'
import { addCommand } from './commands/add.ts'
import { applyCommand } from './commands/apply.ts'
import { askCommand } from './commands/ask.ts'
import { auditCommands } from './commands/audit.ts'
import { backupCommand } from './commands/backup.ts'
import { completionCommand } from './commands/completion.ts'
import { contentCommands } from './commands/content.ts'
import { doctorCommand } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { hooksCommands } from './commands/hooks.ts'
import { hostedCommand } from './commands/hosted.ts'
import { importCommand } from './commands/import.ts'
import { jobsCommand } from './commands/jobs.ts'
import { keysCommands } from './commands/keys.ts'
import { installLicenseCommands } from './commands/license.ts'
import { listCommand } from './commands/list.ts'
import { loginCommand } from './commands/login.ts'
import { modelsCommands } from './commands/models.ts'
import { notifyCommands } from './commands/notify.ts'
import { pagesCommand, readCommand } from './commands/pages.ts'
import { refreshCommand } from './commands/refresh.ts'
import { removeCommand } from './commands/remove.ts'
import { restoreCommand } from './commands/restore.ts'
import { searchCommand } from './commands/search.ts'
import { secretsCommands } from './commands/secrets.ts'
import { setupCommand } from './commands/setup.ts'
import { startCommand } from './commands/start.ts'
import { usersCommands } from './commands/users.ts'
import { vacuumCommand } from './commands/vacuum.ts'

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
  const environment = readCommandEnvironment(process.env)
  const dataDir = resolve(environment.DATA_DIR)
  /** The hosted half stores licenses in its own tables. */
  const isHosted = isStage(process.env) || existsSync(join(dataDir, 'dynamodb'))
  const command = commandName()
  const install: Install = {
    dataDir: () => openDataDir(dataDir),
    dataDirPath: dataDir,
    env: { licenseKey: environment.LICENSE_KEY, host: environment.HOST },
    vendorKeys: () => vendorKeys({ keyFiles: vendorKeyFiles(environment), dataDir }),
    command,
    rejectOtherVersion: () => rejectOtherVersion(dataDir),
    ...(!isHosted && { requireInstall: () => requireInstall(dataDir, command) }),
    now: () => new Date(),
  }

  const program = new Command('carrel')
    .description('Documentation of software libraries for AI coding agents: manages the install in DATA_DIR (default ./data).')
    .version(packageVersion(), '-v, --version', 'print the version')
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
  startCommand(program)
  settingsCommands(program, install, {
    ...(isHosted
      ? { used: hostedSettings }
      : { check: (changes, db) => checkSettings(install, changes, db), beforeSet: chooseWithToken(command) }),
    recorded: (db, change) => recorded(db, install, (record) => change((what, name) => record(`setting.${what}`, name))),
  })
  if (!isHosted) {
    usersCommands(program, install)
    keysCommands(program, install)
    groupsCommands(program, install)
    accessCommands(program, install)
    auditCommands(program, install)
    hooksCommands(program, runExisting(install))
    secretsCommands(program, install, environment.SECRETS_DIR)
    modelsCommands(program, install, runExisting(install))
    notifyCommands(program, runExisting(install))
    contentCommands(program, install)
    addBackupCommands(program, install)
    doctorCommand(program, install)
  }
  completionCommand(program)
  program.commandsGroup('AI clients:')
  setupCommand(program, () => command)
  loginCommand(program)
  program.commandsGroup('Licenses:')
  if (isHosted) hostedCommand(program, 'license', 'licenses that the hosted half issues')
  else installLicenseCommands(program, install)
  program.commandsGroup('Hosted service:')
  hostedCommand(program, 'hosted', 'the hosted half: teamspaces, keys, libraries, bundles')

  return program
}

/** Throws for a folder that cannot be used, and for what the followed repository declares. */
function checkSettings(install: Install, changes: Record<string, unknown>, db: DatabaseSync): void {
  rejectUnusableFolder(install.dataDir(), changes)
  const settings = sqliteSettings(db, secretBox(install.dataDir()))
  rejectDeclaredSettings({ declared: declaredStore(db), gitopsRuns: gitopsRuns(db), settings }, Object.keys(changes))
}

/** An admin who stores a token of a git host chooses who can read its repositories, unless that was chosen before. */
const chooseWithToken =
  (command: string) =>
  async (settings: Pick<SettingsStore, 'get'>, name: string): Promise<{ 'permissions.hidePrivate'?: string }> =>
    isGitSecret(name) && !settings.get('permissions.privateChosen')
      ? choosePrivate('This token can read private repositories.', command)
      : {}

function addBackupCommands(program: Command, install: Install): void {
  backupCommand(program, runExisting(install))
  restoreCommand(program, install)
  vacuumCommand(program, install)
}

/** The commands in the order of the help. Only those in `creating` may create an install. */
const libraryCommands = [
  addCommand,
  listCommand,
  searchCommand,
  askCommand,
  pagesCommand,
  readCommand,
  refreshCommand,
  removeCommand,
  jobsCommand,
  importCommand,
  exportCommand,
  applyCommand,
]
const creating = [addCommand, importCommand, applyCommand]

/** Adds the commands that use the API: with a running server, or with the same server in this process. */
function addLibraryCommands(program: Command, install: Install): void {
  for (const command of libraryCommands)
    command(program, creating.includes(command) ? withConnection(install) : runExisting(install))
}

/** Like `withConnection`, but creates no install. */
const runExisting =
  (install: Install): RunCommand =>
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
