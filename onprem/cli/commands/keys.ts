import { type Command, Option } from 'commander'
import { type Install, withDatabase, withExistingDatabase } from '../../../shared/cli/install.ts'
import { printAnswer, sayDone } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { readOption } from '../../../shared/cli/read-option.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { type ListedKey, NewKey, type Role, roles, type Scope, scopes, sqliteKeys } from '../../accounts/key-store.ts'
import { recorded } from '../api/recorded.ts'

const limitsOf = ({ scope, libraries, addresses }: ListedKey): string =>
  [scope && `scope ${scope}`, libraries && `libraries ${libraries.join(' ')}`, addresses && `addresses ${addresses.join(' ')}`]
    .filter(Boolean)
    .join('; ')

const columns: Columns<ListedKey> = {
  id: (key) => key.id,
  name: (key) => key.name,
  key: (key) => key.prefix,
  role: (key) => key.role,
  created: (key) => ({ time: key.createdAt }),
  'last used': (key) => (key.lastUsedAt === null ? 'never' : { time: key.lastUsedAt }),
  expires: (key) => (key.expiresAt === null ? 'never' : { time: key.expiresAt }),
  user: (key) => key.username,
}

type CreateOptions = {
  name: string
  role: Role
  scope?: Scope
  libraries?: string[]
  addresses?: string[]
  expires?: string
}

export function keysCommands(program: Command, install: Install): void {
  const keys = program.command('keys').description('API keys of this install')

  keys
    .command('create')
    .description('create a key and print it; it is never shown again')
    .requiredOption('--name <name>', 'what the key is used for')
    .addOption(new Option('--role <role>', 'the rights of the key').choices(roles).default('member'))
    .addOption(new Option('--scope <scope>', 'what of these rights the key has; all by default').choices(scopes))
    .option('--libraries <patterns...>', 'the only libraries that exist for the key, such as /acme/*')
    .option('--addresses <networks...>', 'where the key can be used, such as 10.1.0.0/16')
    .option('--expires <date>', 'when it expires, such as 2030-01-31 (00:00 UTC) or 2030-01-31T12:00:00Z')
    .action(async ({ name, role, expires, ...limits }: CreateOptions) => {
      const expiresAt = readOption('--expires', NewKey.shape.expiresAt, expires)
      if (expiresAt !== undefined && expiresAt <= install.now()) {
        throw new UsageError('--expires must be in the future.')
      }
      const libraries = readOption('--libraries', NewKey.shape.libraries, limits.libraries)
      const addresses = readOption('--addresses', NewKey.shape.addresses, limits.addresses)
      const { scope } = limits
      if (scope === 'admin' && role !== 'admin') throw new UsageError('--scope admin needs --role admin.')
      if (scope === 'admin' && libraries) throw new UsageError('--libraries cannot be used with --scope admin.')
      const input = { name: readOption('--name', NewKey.shape.name, name), role, expiresAt, scope, libraries, addresses }
      const created = await withDatabase(install, (db) =>
        recorded(db, install, (record) => {
          const made = sqliteKeys(db, install.now).create(input)
          record('key.create', `${made.name} (${made.prefix})`)
          return made
        }),
      )
      printAnswer(created.key)
    })

  keys
    .command('list')
    .description('list the keys with their user and last use')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const listed = await withExistingDatabase(install, (db) => sqliteKeys(db, install.now).list())
      const isLimited = listed.some((key) => limitsOf(key) !== '')
      printList(isLimited ? { ...columns, limits: limitsOf } : columns, listed, {
        json,
        none: 'There are no keys yet. "carrel keys create --name NAME" creates one.',
      })
    })

  keys
    .command('revoke')
    .description('revoke a key immediately')
    .argument('<id>', 'as listed')
    .action(async (id: string) => {
      const revoked = await withExistingDatabase(install, (db) =>
        recorded(db, install, (record) => {
          const keys = sqliteKeys(db, install.now)
          const key = keys.list().find((each) => each.id === id)
          if (!key || !keys.revoke(id)) return undefined
          record('key.revoke', `${key.name} (${key.prefix})`)
          return key
        }),
      )
      if (!revoked) throw new AppError('not_found', `There is no key with the id "${id}"; "keys list" shows them.`)
      sayDone(`The key ${revoked.name} (${revoked.prefix}) is revoked.`)
    })
}
