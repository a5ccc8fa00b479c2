import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import type { ListedSecretName } from '../../../shared/settings/listed-secrets.ts'
import { secretAddress } from '../../../shared/settings/secret-address.ts'
import type { SecretBox } from '../../../shared/settings/secret-box.ts'
import { isSecret, type SecretName } from '../../../shared/settings/settings.ts'
import type { SettingsStore } from '../../../shared/store/settings-store.ts'

const maxSecretBytes = 8_192
const nameRule = 'must be letters, digits, ".", "_" and "-", at most 100, and begin with a letter or digit'

export const NamedSecret = z.string(nameRule).regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, nameRule)

export type ListedSecret = {
  name: string
  from: 'database' | 'file'
  /** The setting that a followed repository may use it for. */
  setting: SecretName | ListedSecretName | null
  changedAt: string | null
}

/** Secrets that a file names instead of holding them: encrypted in the database, or a file each in one folder. */
export type NamedSecrets = {
  /** Never holds a value. */
  list(): ListedSecret[]
  /** The value. Throws not_found, data_damaged. */
  read(name: string): string
  /** True if a followed repository may use the secret for the setting: it was stored for it and for its present address, or the file has its name. */
  isFor(name: string, setting: SecretName | ListedSecretName): boolean
  set(name: string, value: string, setting?: SecretName | ListedSecretName): void
  /** False if the database holds no such secret. */
  remove(name: string): boolean
}

type Ports = {
  db: DatabaseSync
  box: SecretBox
  settings: Pick<SettingsStore, 'get'>
  /** The folder of files; undefined if there is none. */
  folder: string | undefined
  now(): Date
}

export function namedSecrets({ db, box, settings, folder, now }: Ports): NamedSecrets {
  const select = db.prepare('SELECT value, setting, address FROM named_secrets WHERE name = ?')
  const stored = (name: string) =>
    select.get(name) as { value: string; setting: SecretName | ListedSecretName | null; address: string | null } | undefined
  return {
    list() {
      const rows = db.prepare('SELECT name, setting, changed_at AS changedAt FROM named_secrets ORDER BY name').all()
      const inDatabase = rows.map((row) => ({ ...row, from: 'database' }) as ListedSecret)
      const names = new Set(inDatabase.map(({ name }) => name))
      const inFolder = fileNames(folder).filter((name) => !names.has(name))
      const files = inFolder.map(
        (name) => ({ name, from: 'file', setting: isSecret(name) ? name : null, changedAt: null }) as const,
      )
      return [...inDatabase, ...files]
    },
    read(name) {
      const row = stored(name)
      if (row) return box.open(row.value, contextOf(name))
      const value = folder === undefined || !NamedSecret.safeParse(name).success ? undefined : readSecretFile(join(folder, name))
      if (value === undefined) throw unknownSecret(name, folder)
      return value
    },
    isFor(name, setting) {
      const row = stored(name)
      if (row) return row.setting === setting && row.address === secretAddress(setting, settings.get)
      return name === setting
    },
    set(name, value, setting) {
      const address = setting === undefined ? null : secretAddress(setting, settings.get)
      db.prepare('INSERT OR REPLACE INTO named_secrets (name, value, setting, address, changed_at) VALUES (?, ?, ?, ?, ?)').run(
        name,
        box.seal(value, contextOf(name)),
        setting ?? null,
        address,
        now().toISOString(),
      )
    },
    remove: (name) => db.prepare('DELETE FROM named_secrets WHERE name = ?').run(name).changes > 0,
  }
}

const contextOf = (name: string): string => `secret\n${name}`

function fileNames(folder: string | undefined): string[] {
  if (folder === undefined) return []
  try {
    return readdirSync(folder)
      .filter((name) => NamedSecret.safeParse(name).success)
      .sort()
  } catch {
    return []
  }
}

/** Undefined if there is no such file. A platform may mount it as a link. */
function readSecretFile(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw unreadable(path, 'the server may not read it', error)
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw unreadable(path, 'it is no regular file')
    if (stats.size > maxSecretBytes) throw unreadable(path, `it is larger than ${maxSecretBytes} bytes`)
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } finally {
    closeSync(file)
  }
}

const unreadable = (path: string, why: string, cause?: unknown): AppError =>
  new AppError('data_damaged', `The file of a secret, ${path}, cannot be used: ${why}.`, { cause })

const unknownSecret = (name: string, folder: string | undefined): AppError =>
  new AppError(
    'not_found',
    `There is no secret "${name}". Store it with "carrel secrets set ${name} -"${folder === undefined ? '' : `, or as the file ${join(folder, name)}`}.`,
  )
