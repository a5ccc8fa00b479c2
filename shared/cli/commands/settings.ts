import type { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { isListedSecret, type ListedSecretName, listOfSecret } from '../../settings/listed-secrets.ts'
import { secretBox } from '../../settings/secret-box.ts'
import { settingMeanings } from '../../settings/setting-meanings.ts'
import { isSecret, isSetting, type SecretName, type SettingName, secretNames, settingNames } from '../../settings/settings.ts'
import { unknownSetting } from '../../settings/unknown-setting.ts'
import { type ListedSetting, type SettingsStore, sqliteSettings } from '../../store/settings-store.ts'
import { type Install, withDatabase, withExistingDatabase } from '../install.ts'
import { printAnswer, printRemark, sayDone } from '../print.ts'
import { type Columns, jsonOption, printList } from '../print-list.ts'
import { readSecret } from '../read-secret.ts'
import { asUsageError, UsageError } from '../usage-error.ts'

type Listed = SettingName | SecretName
type Name = Listed | ListedSecretName
type Changes = Partial<Record<Name, string | null>>
type BeforeSet = (settings: Pick<SettingsStore, 'get'>, name: Name) => Promise<Changes>
/** Makes a change and records it, both or neither. */
type Recorded = (
  db: DatabaseSync,
  change: (record: (what: 'change' | 'drop', name: Name) => void) => (SecretName | ListedSecretName)[],
) => (SecretName | ListedSecretName)[]

const allNames: readonly Listed[] = [...settingNames, ...secretNames]

/** Settings that the hosted half reads; it has no models, accounts or imports. */
export const hostedSettings: readonly Listed[] = ['github.baseUrl', 'gitlab.baseUrl', 'git.hosts', 'github.token', 'gitlab.token']

/**
 * Calls `check` before a change; it may throw. `beforeSet` returns what else changes with a setting; it may ask, and throw. `recorded` records each changed
 * setting, and the secrets that the change dropped. Only the settings in `used` can be set.
 */
export function settingsCommands(
  program: Command,
  install: Install,
  {
    used = allNames,
    check,
    beforeSet = async () => ({}),
    recorded,
  }: {
    used?: readonly Listed[] | undefined
    check?(changes: Changes, db: DatabaseSync): void
    beforeSet?: BeforeSet
    recorded: Recorded
  },
): void {
  const width = Math.max(...used.map(({ length }) => length))
  const listed = ['', 'Names:', ...used.map((name) => `  ${name.padEnd(width)}  ${settingMeanings[name]}`)].join('\n')
  const settings = program
    .command('settings')
    .description('settings of this install; a running server applies changes immediately')
  const isUsed = (name: Name) => used.includes((isListedSecret(name) ? listOfSecret(name) : name) as Listed)
  const storeOf = (db: DatabaseSync) => sqliteSettings(db, secretBox(install.dataDir()))
  const readSettings = <T>(work: (store: SettingsStore) => T): Promise<T> =>
    withExistingDatabase(install, (db) => work(storeOf(db)))

  settings
    .command('list')
    .description('list every setting with its value and the allowed values')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const listed = await readSettings((store) => store.list())
      printList(
        columns,
        listed.filter(({ name }) => isUsed(name)),
        { json },
      )
    })

  settings
    .command('get')
    .description('print a setting; "null" if it is unset and has no default; of a secret only the last four characters')
    .argument('<name>', 'for example github.baseUrl')
    .addHelpText('after', listed)
    .action(async (text: string) => {
      const name = knownName(text)
      printAnswer(print((await readSettings((store) => store.describe()))[name]))
    })

  settings
    .command('set')
    .description('change a setting')
    .argument('<name>', 'for example github.token')
    .argument('<value>', '"-" reads it from standard input, "null" clears the setting')
    .addHelpText('after', listed)
    .action(async (text: string, value: string) => {
      const name = knownName(text)
      if (value !== 'null' && !isUsed(name)) throw unused(name, used)
      const more = value === 'null' ? {} : await withDatabase(install, (db) => beforeSet(storeOf(db), name))
      const typed = value === '-' ? await readValue(name) : value
      await change(name, typed === 'null' ? null : typed, more)
      if (isSecret(name) && value !== '-' && value !== 'null') {
        printRemark(`${name} was visible in the list of processes. Use "settings set ${name} -" to read it from standard input.`)
      }
    })

  settings
    .command('unset')
    .description('clear a setting, so that its default applies')
    .argument('<name>', 'for example github.token')
    .addHelpText('after', listed)
    .action(async (text: string) => change(knownName(text), null))

  async function change(name: Name, value: string | null, more: Changes = {}): Promise<void> {
    const dropped = await withDatabase(install, (db) =>
      recorded(db, (record) => {
        const { dropped } = changeTo(storeOf(db), { ...more, [name]: value }, (changes) => check?.(changes, db))
        for (const each of [...Object.keys(more), name]) record('change', each as Name)
        for (const secret of dropped) record('drop', secret)
        return dropped
      }),
    )
    sayDone(value === null ? `${name} is cleared.` : `${name} is set.`)
    for (const secret of dropped) printRemark(`${secret} was deleted, because it belongs to the previous address. Set it again.`)
  }
}

const columns: Columns<ListedSetting> = {
  name: ({ name }) => name,
  value: ({ value, boundTo }) => (boundTo === undefined ? inOneLine(value) : `${print(value)}, for ${boundTo}`),
  state: ({ state }) => state,
  allowed: ({ allowed }) => allowed,
}

function changeTo(
  store: SettingsStore,
  changes: Changes,
  check: (changes: Changes) => void,
): ReturnType<SettingsStore['change']> {
  try {
    check(changes)
    return store.change(changes)
  } catch (error) {
    throw asUsageError(error)
  }
}

const unused = (name: Name, used: readonly Listed[]): AppError =>
  new AppError(
    'validation_error',
    `This data directory belongs to the hosted half, which does not use ${name}. It uses ${used.join(', ')}.`,
  )

function knownName(name: string): Name {
  if (isSetting(name) || isSecret(name)) return name
  throw new UsageError(`${unknownSetting(name).message} "settings get --help" lists all.`)
}

/** A value may have several lines; a secret is one word. */
async function readValue(name: Name): Promise<string> {
  if (isSecret(name)) return readSecret(`${name}: `)
  if (process.stdin.isTTY) printRemark('type the value, then press Enter and Ctrl-D.')
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

const inOneLine = (value: unknown): string => (value === null ? '-' : print(value).replaceAll('\n', ' '))

function print(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join('\n')
  if (typeof value === 'object' && value !== null && 'last4' in value)
    return value.last4 === '' ? 'set' : `set, ends in ${value.last4}`
  return String(value)
}
