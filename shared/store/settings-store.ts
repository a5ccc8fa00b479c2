import type { DatabaseSync } from 'node:sqlite'
import type { z } from 'zod'
import { AppError, invalidField } from '../errors.ts'
import { tokenSetting } from '../schemas/git-host.ts'
import { isSsh } from '../schemas/ssh-address.ts'
import { type HostSecretName, isHostSecret } from '../settings/git-secrets.ts'
import { isListedSecret, issuerSecret, type ListedSecretName, listOfSecret, scimToken } from '../settings/listed-secrets.ts'
import { hostOfSecret, issuerOfSecret, readableAddress, secretAddress } from '../settings/secret-address.ts'
import type { SecretBox } from '../settings/secret-box.ts'
import {
  isSecret,
  isSetting,
  type SecretName,
  type SettingName,
  Settings,
  secretNames,
  secretSchema,
  settingNames,
} from '../settings/settings.ts'
import { unknownSetting } from '../settings/unknown-setting.ts'
import { transaction } from './database.ts'

type ShownSecret = { set: true; last4: string }
type Secret = SecretName | ListedSecretName
/** Every setting: its default if unset, null without a default. The response of `GET /api/settings`. */
type ShownSettings = { [N in SettingName]: Settings[N] | null } & { [N in SecretName]: ShownSecret | null } & {
  [N in ListedSecretName]?: ShownSecret | null
}

export type ListedSetting = {
  name: SettingName | Secret
  /** Its default if unset, null without a default. */
  value: ShownSettings[SettingName | SecretName]
  state: 'set' | 'default' | 'unset'
  /** The values that may be set. */
  allowed: string
  /** The address that a stored secret is bound to; absent for other settings. */
  boundTo?: string
}

export type SettingsStore = {
  /** The stored value, or the default. */
  get<N extends SettingName>(name: N): Settings[N]
  /** Returns undefined if no secret is stored for the current address. */
  getSecret(name: Secret): string | undefined
  describe(): ShownSettings
  list(): ListedSetting[]
  /** The settings with these changes, without storing them. A stored secret applies only to its own address. Throws validation_error. */
  withChanges(changes: Record<string, unknown>): Pick<SettingsStore, 'get' | 'getSecret'>
  /**
   * Stores all changes, or none if one is invalid; null clears a setting. Setting `permissions.hidePrivate` is
   * the choice who can read private libraries, setting `embedding.provider` approves a model on this server. Throws validation_error.
   * Deletes the secrets of addresses that changed, and returns their names.
   */
  change(changes: Record<string, unknown>): { dropped: Secret[] }
}

type Row = { value: string; address: string | null }

/** Settings in the database, read at each call, so that changes by another process apply immediately. */
export function sqliteSettings(db: DatabaseSync, box: SecretBox): SettingsStore {
  const select = db.prepare('SELECT value, address FROM settings WHERE name = ?')
  const upsert = db.prepare('INSERT OR REPLACE INTO settings (name, value, address) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM settings WHERE name = ?')
  const selectListedSecrets = db.prepare("SELECT name FROM settings WHERE name GLOB 'git.hosts.*' OR name GLOB 'sso.issuers.*'")

  const stored = (name: string) => select.get(name) as Row | undefined

  const get = <N extends SettingName>(name: N): Settings[N] => {
    const row = stored(name)
    return (row === undefined ? Settings.shape[name].parse(undefined) : JSON.parse(row.value)) as Settings[N]
  }

  const getSecret = (name: Secret, effective = get): string | undefined => {
    const row = stored(name)
    const address = secretAddress(name, effective)
    return row?.address === address ? box.open(row.value, contextOf(name, address)) : undefined
  }

  const showSecret = (name: Secret): ShownSecret | null => {
    if (stored(name) === undefined) return null
    try {
      return { set: true, last4: lastFour(getSecret(name) ?? '') }
    } catch {
      return { set: true, last4: '' }
    }
  }

  const put = (name: SettingName | Secret, value: unknown) => {
    if (value === null) remove.run(name)
    else if (isSetting(name)) upsert.run(name, JSON.stringify(value), null)
    else {
      if (isListedSecret(name)) requireEntry(name, get)
      if (name === 'confluence.token') requireSite(get)
      const address = secretAddress(name, get)
      upsert.run(name, box.seal(String(value), contextOf(name, address)), address)
    }
  }

  const listedSecrets = () => [
    ...get('git.hosts').map(({ name }) => tokenSetting(name) as HostSecretName),
    ...get('sso.issuers').flatMap(({ name }) => [issuerSecret(name), scimToken(name)]),
  ]

  const dropSecretsOfOtherAddresses = (): Secret[] => {
    const ofLists = selectListedSecrets.all().map(({ name }) => name as ListedSecretName)
    const dropped = [...secretNames, ...ofLists].filter((name) => {
      const row = stored(name)
      return row !== undefined && row.address !== secretAddress(name, get)
    })
    for (const name of dropped) remove.run(name)
    return dropped
  }

  const describe = () => {
    const settings = settingNames.map((name) => [name, get(name) ?? null])
    const secrets = [...secretNames, ...listedSecrets()].map((name) => [name, showSecret(name)])
    return Object.fromEntries([...settings, ...secrets]) as ShownSettings
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
    describe,
    list: () =>
      Object.entries(describe() as Record<SettingName | Secret, ListedSetting['value']>).map(([key, value]) => {
        const name = key as SettingName | Secret
        const row = stored(name)
        return {
          name,
          value,
          state: row ? 'set' : value === null ? 'unset' : 'default',
          allowed: schemaOf(name).description ?? '',
          ...(row?.address && { boundTo: readableAddress(row.address) }),
        }
      }),
    change(changes) {
      const addressesFirst = readChanges(withChoice(changes)).sort((a, b) => Number(isSecret(a.name)) - Number(isSecret(b.name)))
      return transaction(db, () => {
        for (const { name, value } of addressesFirst) put(name, value)
        for (const { name, value } of addressesFirst)
          if (name === 'github.token' || isHostSecret(name)) rejectOtherSecret(name, get, value)
        if ('git.hosts' in changes || 'github.baseUrl' in changes || 'gitlab.baseUrl' in changes) rejectSameHost(get)
        if ('sso.localAccounts' in changes) rejectLockout(get)
        return { dropped: dropSecretsOfOtherAddresses() }
      })
    },
  }
}

/** The settings that say that somebody has made a choice, by the setting that is one. */
const choices = { 'permissions.hidePrivate': 'permissions.privateChosen', 'embedding.provider': 'embedding.approved' }

function withChoice(changes: Record<string, unknown>): Record<string, unknown> {
  const made = Object.entries(choices).filter(([name]) => (changes[name] ?? null) !== null)
  return { ...Object.fromEntries(made.map(([, choice]) => [choice, true])), ...changes }
}

const readChanges = (changes: Record<string, unknown>) => Object.entries(changes).map(([name, value]) => readChange(name, value))

function readChange(name: string, value: unknown): { name: SettingName | Secret; value: unknown } {
  if (!isSetting(name) && !isSecret(name)) throw unknownSetting(name)
  if (value === null) return { name, value }
  const read = schemaOf(name).safeParse(value)
  if (read.success && read.data !== undefined) return { name, value: read.data }
  const { path = [], message = 'must have a value' } = read.error?.issues[0] ?? {}
  // The item of a list of texts has no name that helps.
  throw invalidField(path.length > 1 ? [name, ...path].join('.') : name, message.replace(/\.$/, ''))
}

const schemaOf = (name: SettingName | Secret): z.ZodType => (isSetting(name) ? Settings.shape[name] : secretSchema(name))

function requireEntry(name: ListedSecretName, get: <N extends SettingName>(name: N) => Settings[N]): void {
  if (isHostSecret(name) ? hostOfSecret(name, get) : issuerOfSecret(name, get)) return
  const entry = isHostSecret(name) ? 'host' : 'issuer'
  throw new AppError('validation_error', `${name} belongs to no ${entry} in ${listOfSecret(name)}. Add the ${entry} first.`)
}

function requireSite(get: (name: 'confluence.baseUrl') => Settings['confluence.baseUrl']): void {
  if (get('confluence.baseUrl') !== undefined) return
  throw new AppError('validation_error', 'confluence.token belongs to the site in confluence.baseUrl. Set that first.')
}

/** Over ssh, and as a GitHub App, a host is asked with a private key, otherwise with a token. */
function rejectOtherSecret(name: Secret, get: <N extends SettingName>(name: N) => Settings[N], value: unknown): void {
  const host = isHostSecret(name) ? hostOfSecret(name, get) : { appId: get('github.appId'), baseUrl: get('github.baseUrl') }
  if (!host || typeof value !== 'string') return
  const needsKey = isSsh(host.baseUrl) || host.appId !== undefined
  if (needsKey === value.startsWith('-----BEGIN ')) return
  const reason = isSsh(host.baseUrl) ? `with which ${host.baseUrl} is read` : 'that of the GitHub App; clear appId to use a token'
  throw invalidField(
    name,
    needsKey ? `must be a private key, ${reason}` : 'must be a token; a private key needs appId, or an ssh:// address',
  )
}

/** A host has one kind and one token. */
function rejectSameHost(get: <N extends SettingName>(name: N) => Settings[N]): void {
  for (const name of ['github.baseUrl', 'gitlab.baseUrl'] as const) {
    const same = get('git.hosts').find(({ baseUrl }) => baseUrl === get(name))
    if (same) throw invalidField('git.hosts', `must not have ${same.baseUrl} as ${same.name}, which ${name} names`)
  }
}

/** Nobody could sign in. */
function rejectLockout(get: <N extends SettingName>(name: N) => Settings[N]): void {
  if (!get('sso.localAccounts') && get('sso.issuers').length === 0)
    throw invalidField('sso.localAccounts', 'can be false only if sso.issuers names an issuer')
}

/** The encryption context of a secret. It cannot be decrypted for another setting or address. */
const contextOf = (name: Secret, address: string): string => `${name}\n${address}`

/** Empty for a short secret, of which four characters would be half. */
const lastFour = (secret: string): string => (secret.length < 8 ? '' : secret.slice(-4))
