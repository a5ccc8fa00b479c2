import type { DatabaseSync } from 'node:sqlite'
import type { z } from 'zod'
import { invalidField } from '../errors.ts'
import { secretAddress } from '../settings/secret-address.ts'
import type { SecretBox } from '../settings/secret-box.ts'
import {
  isSecret,
  isSetting,
  type SecretName,
  Secrets,
  type SettingName,
  Settings,
  secretNames,
  settingNames,
} from '../settings/settings.ts'
import { unknownSetting } from '../settings/unknown-setting.ts'
import { transaction } from './database.ts'

type ShownSecret = { set: true; last4: string }
/** Every name, null where unset: the answer of `GET /api/settings`. */
type ShownSettings = { [N in SettingName]: Settings[N] | null } & { [N in SecretName]: ShownSecret | null }

export type SettingsStore = {
  /** What is in force: the stored value, else the default. */
  get<N extends SettingName>(name: N): Settings[N]
  /** Undefined where none is stored for the address that the settings now name. */
  getSecret(name: SecretName): string | undefined
  describe(): ShownSettings
  /** What would be in force with these changes, of which nothing is stored: a stored secret counts only for its own address. Throws validation_error. */
  withChanges(changes: Record<string, unknown>): Pick<SettingsStore, 'get' | 'getSecret'>
  /**
   * Stores all of the changes or, where one is refused, none; null clears. Throws validation_error.
   * The secrets of addresses that changed are dropped, and named in the answer.
   */
  change(changes: Record<string, unknown>): { dropped: SecretName[] }
}

type Row = { value: string; address: string | null }

/** Settings as they stand in the database at each call, so that a change by another process counts at once. */
export function sqliteSettings(db: DatabaseSync, box: SecretBox): SettingsStore {
  const select = db.prepare('SELECT value, address FROM settings WHERE name = ?')
  const upsert = db.prepare('INSERT OR REPLACE INTO settings (name, value, address) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM settings WHERE name = ?')

  const stored = (name: string) => select.get(name) as Row | undefined

  const get = <N extends SettingName>(name: N): Settings[N] => {
    const row = stored(name)
    return (row === undefined ? Settings.shape[name].parse(undefined) : JSON.parse(row.value)) as Settings[N]
  }

  const getSecret = (name: SecretName, effective = get): string | undefined => {
    const row = stored(name)
    const address = secretAddress(name, effective)
    return row?.address === address ? box.open(row.value, contextOf(name, address)) : undefined
  }

  const showSecret = (name: SecretName): ShownSecret | null => {
    if (stored(name) === undefined) return null
    try {
      return { set: true, last4: lastFour(getSecret(name) ?? '') }
    } catch {
      return { set: true, last4: '' }
    }
  }

  const put = (name: SettingName | SecretName, value: unknown) => {
    if (value === null) remove.run(name)
    else if (isSetting(name)) upsert.run(name, JSON.stringify(value), null)
    else {
      const address = secretAddress(name, get)
      upsert.run(name, box.seal(String(value), contextOf(name, address)), address)
    }
  }

  const dropSecretsOfOtherAddresses = (): SecretName[] => {
    const dropped = secretNames.filter((name) => {
      const row = stored(name)
      return row !== undefined && row.address !== secretAddress(name, get)
    })
    for (const name of dropped) remove.run(name)
    return dropped
  }

  return {
    get,
    getSecret: (name) => getSecret(name),
    withChanges(changes) {
      const tried = new Map(readChanges(changes).map(({ name, value }) => [name, value]))
      const inForce = <N extends SettingName>(name: N): Settings[N] =>
        tried.has(name) ? ((tried.get(name) ?? Settings.shape[name].parse(undefined)) as Settings[N]) : get(name)
      return {
        get: inForce,
        getSecret: (name) =>
          tried.has(name) ? ((tried.get(name) ?? undefined) as string | undefined) : getSecret(name, inForce),
      }
    },
    describe() {
      const settings = settingNames.map((name) => [name, stored(name) === undefined ? null : get(name)])
      const secrets = secretNames.map((name) => [name, showSecret(name)])
      return Object.fromEntries([...settings, ...secrets]) as ShownSettings
    },
    change(changes) {
      const addressesFirst = readChanges(changes).sort((a, b) => Number(isSecret(a.name)) - Number(isSecret(b.name)))
      return transaction(db, () => {
        for (const { name, value } of addressesFirst) put(name, value)
        return { dropped: dropSecretsOfOtherAddresses() }
      })
    },
  }
}

const readChanges = (changes: Record<string, unknown>) => Object.entries(changes).map(([name, value]) => readChange(name, value))

function readChange(name: string, value: unknown): { name: SettingName | SecretName; value: unknown } {
  if (!isSetting(name) && !isSecret(name)) throw unknownSetting(name)
  if (value === null) return { name, value }
  const schema: z.ZodType = isSetting(name) ? Settings.shape[name] : Secrets.shape[name]
  const read = schema.safeParse(value)
  if (read.success && read.data !== undefined) return { name, value: read.data }
  throw invalidField(name, (read.error?.issues[0]?.message ?? 'must have a value').replace(/\.$/, ''))
}

/** What a secret is sealed with: moved to another setting or another address it does not open. */
const contextOf = (name: SecretName, address: string): string => `${name}\n${address}`

/** Of a short secret nothing is shown, since four characters would be half of it. */
const lastFour = (secret: string): string => (secret.length < 8 ? '' : secret.slice(-4))
