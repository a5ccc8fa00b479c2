import { rmSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { type Install, withDatabase, withExistingDatabase } from '../../../shared/cli/install.ts'
import { sayDone } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { readOption } from '../../../shared/cli/read-option.ts'
import { readNewSecret } from '../../../shared/cli/read-secret.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { transaction } from '../../../shared/store/database.ts'
import { commandLine } from '../../access/caller.ts'
import { sqliteAudit } from '../../accounts/audit-log.ts'
import { initialPasswordFile } from '../../accounts/ensure-initial-credentials.ts'
import { sqliteHostAccounts } from '../../accounts/host-accounts.ts'
import { type Role, roles } from '../../accounts/key-store.ts'
import { NewPassword, scryptPasswords } from '../../accounts/passwords.ts'
import { type User, Username } from '../../accounts/user.ts'
import { sqliteUsers } from '../../accounts/user-store.ts'
import {
  changeUser,
  createUser,
  deleteUser,
  endSessions,
  type ManageUsersPorts,
  removeSecondFactor,
} from '../../actions/manage-users.ts'
import { sqliteFactors } from '../../second-factor/factor-store.ts'

const columns: Columns<User> = {
  id: (user) => user.id,
  name: (user) => user.username,
  role: (user) => user.role,
  state: stateOf,
  created: (user) => ({ time: user.createdAt }),
  'last sign-in': (user) => (user.lastSignInAt === null ? 'never' : { time: user.lastSignInAt }),
  'second factor': (user) => (user.hasSecondFactor ? 'yes' : 'no'),
}

function stateOf({ disabled, defaultPair, mustChangePassword }: User): string {
  if (disabled) return 'disabled'
  if (defaultPair) return 'initial password'
  return mustChangePassword ? 'must change password' : 'active'
}

type SetOptions = {
  role?: Role
  rename?: string
  password?: true
  revokeKeys?: true
  disable?: true
  enable?: true
  endSessions?: true
  hostAccounts?: string[]
  removeSecondFactor?: true
}

/** People who sign in. The rules are those of the API: the last admin stays an admin. */
export function usersCommands(program: Command, install: Install): void {
  const users = program.command('users').description('people who can sign in')
  const withUsers = <T>(work: (ports: ManageUsersPorts) => T | Promise<T>, open = withExistingDatabase): Promise<T> =>
    open(install, (db) => {
      const onInitialChanged = () => rmSync(initialPasswordFile(install.dataDir()), { force: true })
      const store = sqliteUsers(db, install.now, { onInitialChanged })
      return work({
        users: store,
        hostAccounts: sqliteHostAccounts(db),
        factors: sqliteFactors(db, secretBox(install.dataDir()), install.now),
        passwords: scryptPasswords,
        audit: sqliteAudit(db, install.now),
        atomically: (change) => transaction(db, change),
      })
    })

  users
    .command('list')
    .description('list the users with their role, state and last sign-in')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const listed = await withUsers((ports) => ports.users.list())
      printList(columns, listed, { json, none: 'There are no users yet. The first start of the server creates "admin".' })
    })

  users
    .command('create')
    .description('create a user; the password is read from standard input, or asked for on a terminal')
    .argument('<name>', 'letters, digits and . _ @ + -')
    .addOption(new Option('--role <role>', 'what the user may do').choices(roles).default('member'))
    .action(async (name: string, { role }: { role: Role }) => {
      const username = readOption('The user name', Username, name)
      await withUsers(async (ports) => {
        if (role !== 'admin' && ports.users.list().length === 0) throw new AppError('forbidden', firstIsAdmin)
        await createUser(ports, commandLine, { username, role, password: await readPassword(username) })
      }, withDatabase)
      sayDone(`${username} is created.`)
    })

  users
    .command('set')
    .description('change a user; at least one option is required')
    .argument('<name>', 'as listed')
    .addOption(new Option('--role <role>', 'what the user may do').choices(roles))
    .option(
      '--password',
      'set a new password, read from standard input or asked for; ends all sessions; the user changes it at the next sign-in',
    )
    .option('--revoke-keys', 'revoke all keys of the user, for example with a new password')
    .option('--rename <name>', 'the new user name')
    .option('--host-accounts <accounts...>', 'all accounts at git hosts, such as github=octocat, for rules about libraries')
    .addOption(new Option('--disable', 'end all access; keys and content are kept').conflicts('enable'))
    .option('--enable', 'give a disabled user access again')
    .option('--remove-second-factor', 'remove a second factor that is lost; ends all sessions')
    .option('--end-sessions', 'sign the user out everywhere; keys keep working')
    .action(async (name: string, { role, rename, password, revokeKeys, disable, enable, ...more }: SetOptions) => {
      const username = rename === undefined ? undefined : readOption('--rename', Username, rename)
      const disabled = disable || (enable ? false : undefined)
      const hostAccounts = more.hostAccounts && readAccounts(more.hostAccounts)
      const changes = [role, username, disabled, password, revokeKeys, hostAccounts, more.endSessions, more.removeSecondFactor]
      if (changes.every((each) => each === undefined))
        throw new UsageError(
          'Name what to change: --role, --password, --revoke-keys, --rename, --host-accounts, --disable, --enable, --remove-second-factor or --end-sessions.',
        )
      await withUsers(async (ports) => {
        const { id } = find(ports, name)
        const typed = password && (await readPassword(name))
        await changeUser(ports, commandLine, id, { role, username, disabled, password: typed, revokeKeys, hostAccounts })
        if (more.removeSecondFactor) removeSecondFactor(ports, commandLine, id)
        if (more.endSessions) endSessions(ports, commandLine, id)
      })
      sayDone(`${name} is changed.`)
    })

  users
    .command('delete')
    .description('delete a user with all sessions and keys')
    .argument('<name>', 'as listed')
    .action(async (name: string) => {
      const { username } = await withUsers((ports) => deleteUser(ports, commandLine, find(ports, name).id))
      sayDone(`${username} is deleted, with all sessions and keys.`)
    })
}

function readAccounts(given: string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, host = '', account = ''] = /^([^=\s]+)=(\S+)$/.exec(text) ?? []
      if (host === '') throw new UsageError(`--host-accounts ${text} must be HOST=ACCOUNT, such as github=octocat.`)
      return [host, account]
    }),
  )
}

const firstIsAdmin = 'The first user must be an admin. Add --role admin, or start the server once: it creates "admin".'

const readPassword = async (username: string): Promise<string> =>
  readOption('The password', NewPassword, await readNewSecret(`New password of ${username}: `))

function find({ users }: ManageUsersPorts, name: string): User {
  const user = users.list().find(({ username }) => username === name.toLowerCase())
  if (user) return user
  throw new AppError('user_not_found', `There is no user "${name}"; "users list" shows them.`)
}
