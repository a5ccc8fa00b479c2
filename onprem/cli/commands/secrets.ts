import type { DatabaseSync } from 'node:sqlite'
import { type Command, Option } from 'commander'
import { type Install, withDatabase, withExistingDatabase } from '../../../shared/cli/install.ts'
import { sayDone } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { readOption } from '../../../shared/cli/read-option.ts'
import { readSecret } from '../../../shared/cli/read-secret.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { Password, type SecretName, secretNames } from '../../../shared/settings/settings.ts'
import { sqliteSettings } from '../../../shared/store/settings-store.ts'
import { declarableSettings } from '../../declared/declarable-settings.ts'
import { type ListedSecret, NamedSecret, type NamedSecrets, namedSecrets } from '../../store/declared/named-secrets.ts'
import { recorded } from '../api/recorded.ts'

const columns: Columns<ListedSecret> = {
  name: ({ name }) => name,
  from: ({ from }) => from,
  for: ({ setting }) => setting,
  changed: ({ changedAt }) => (changedAt === null ? null : { time: changedAt }),
}

/** Secrets that carrel.yaml names. `folder` holds a file for each that is not in the database. */
export function secretsCommands(program: Command, install: Install, folder: string | undefined): void {
  const secrets = program.command('secrets').description('secrets that carrel.yaml names instead of holding them')
  const storeOf = (db: DatabaseSync): NamedSecrets => {
    const box = secretBox(install.dataDir())
    return namedSecrets({ db, box, settings: sqliteSettings(db, box), folder, now: install.now })
  }

  secrets
    .command('list')
    .description('list the names, where each secret is stored, and the setting that a followed repository may use it for')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const listed = await withExistingDatabase(install, (db) => storeOf(db).list())
      printList(columns, listed, { json, none: 'There are no secrets yet. "carrel secrets set NAME -" stores one.' })
    })

  secrets
    .command('set')
    .description('store a secret, encrypted; it is read from standard input, or asked for on a terminal')
    .argument('<name>', 'the name in carrel.yaml')
    .argument('<value>', '"-": the list of processes would show a value')
    .addOption(
      new Option('--for <setting>', 'let a followed repository use it for this setting, with its present address').choices(
        secretNames.filter((name) => declarableSettings[name] === 'git'),
      ),
    )
    .action(async (text: string, value: string, { for: setting }: { for?: SecretName }) => {
      const name = readOption('The name', NamedSecret, text)
      if (value !== '-') throw new UsageError('secrets set reads the secret from standard input: give - as its value.')
      const secret = readOption('The secret', Password, await readSecret(`${name}: `))
      await withDatabase(install, (db) =>
        recorded(db, install, (record) => {
          storeOf(db).set(name, secret, setting)
          record('secret.set', name)
        }),
      )
      sayDone(`The secret ${name} is stored.`)
    })

  secrets
    .command('remove')
    .description('delete a stored secret; settings that have its value keep it')
    .argument('<name>', 'as listed')
    .action(async (name: string) => {
      const removed = await withExistingDatabase(install, (db) =>
        recorded(db, install, (record) => {
          if (!storeOf(db).remove(name)) return false
          record('secret.remove', name)
          return true
        }),
      )
      if (!removed) throw new AppError('not_found', `The database holds no secret "${name}"; "secrets list" shows them.`)
      sayDone(`The secret ${name} is deleted.`)
    })
}
