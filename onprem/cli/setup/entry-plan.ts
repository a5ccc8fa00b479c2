import { isDeepStrictEqual } from 'node:util'
import { addressNames, entryName } from '../../../shared/clients/entries.ts'
import {
  addressNameOf,
  addressOf,
  type EntryForm,
  hasKeyElsewhere,
  hasOtherSecrets,
  headersOf,
  isRecord,
  keysIn,
  keysOf,
  leadsTo,
  namesVariable,
  programOf,
  replaceKeys,
  type Servers,
} from './servers.ts'

/** The change to the server `name` of a configuration. */
export type EntryPlan = { name: string } & (
  | { kind: 'delete' }
  /** Writes the entry as a whole, because there is none, or one of another server. */
  | { kind: 'write'; entry: unknown }
  /** Changes an entry and keeps the rest of it: keys anywhere in it, and some values; `undefined` deletes a value. */
  | { kind: 'change'; keys: [old: string, key: string][]; values: { path: string[]; value: unknown }[] }
)

export type Target = {
  url: string
  /** The key to write, if there is one. */
  key: string | undefined
  isKeyRequired: boolean
}

/** Plans the changes that give the configuration a server with this address and key. `notes` are remarks for its user. */
export function planSetup(servers: Servers, form: EntryForm, target: Target): { plan: EntryPlan; notes: string[] } {
  const same = Object.keys(servers).filter((name) => leadsTo(servers[name], target.url))
  const name = same.includes(entryName) ? entryName : (same[0] ?? entryName)
  const old = servers[name]
  const notes = same.filter((each) => each !== name).map((each) => `the server "${each}" has the same address`)
  if (name !== entryName) notes.push(`as the server "${name}"`)
  if (!isRecord(old) || !isKept(old, target.url))
    return { plan: { name, kind: 'write', entry: form.write(target.url, target.key) }, notes }
  const { values, notes: more, ...rest } = planChange(old, form, target)
  if (old.enabled === false || old.disabled === true) more.push('it stays disabled')
  return { plan: { name, kind: 'change', values, ...rest }, notes: [...notes, ...more] }
}

/** False if an entry is that of another server, or has values that must not be sent to `url`. */
function isKept(old: Servers, url: string): boolean {
  if (leadsTo(old, url)) return true
  // Where a client merges its files, an entry without an address changes one of another file.
  if (old.command !== undefined || !['string', 'undefined'].includes(typeof addressOf(old))) return false
  return namesVariable(addressOf(old)) || !hasOtherSecrets(old)
}

type Change = Pick<Extract<EntryPlan, { kind: 'change' }>, 'keys' | 'values'> & { notes: string[] }

function planChange(old: Servers, form: EntryForm, { url, key, isKeyRequired }: Target): Change {
  const isElsewhere = hasKeyElsewhere(old)
  const notes = isElsewhere ? ['its key is a variable, which was left alone'] : []
  if (namesVariable(addressOf(old))) return { keys: [], values: [], notes: ['its address is a variable, which was left alone'] }
  const sent = keysOf(old)
  if (programOf(old) !== undefined) {
    const older = sent.map((each) => each.key).filter((each) => each !== key)
    const keys = key === undefined ? [] : older.map((each): [string, string] => [each, key])
    if (isKeyRequired && !isElsewhere && sent.length === 0)
      notes.push(`it connects through "${programOf(old)}", to which you must give the key`)
    return { keys, values: [], notes }
  }
  const values: Change['values'] = []
  const isOther = !leadsTo(old, url)
  if (isOther) values.push({ path: [addressNameOf(old) ?? form.address], value: url })
  for (const [name, value] of Object.entries(form.write(url))) {
    const isMissing = !(name in old) && (!isElsewhere || form.needed.includes(name))
    if (isMissing || (name === 'type' && name in old && !isType(old.type, value))) values.push({ path: [name], value })
  }
  if (key !== undefined && !isElsewhere) {
    if (sent.length === 0) values.push(newHeader(old, form, key))
    for (const { path, key: former } of sent) {
      const text = String(valueAt(old, path))
      const value = isHeader(text, former) ? text.replace(former, key) : `Bearer ${key}`
      if (value !== text) values.push({ path, value })
    }
  }
  const paths = sent.map(({ path }) => path)
  if (key === undefined && isOther && addressOf(old) !== undefined) values.push(...withoutHeaders(old, paths))
  return { keys: [], values, notes }
}

/** Other names of Streamable HTTP are fine, too. */
export const isType = (type: unknown, own: unknown): boolean =>
  type === own || (own === 'http' && /^streamable-?http$/i.test(String(type)))

/** False if there is more than a key in a header, such as the quotes of an env file. */
const isHeader = (text: string, key: string): boolean => text.replace(/^\s*bearer\s/i, '').trim() === key

/** The header that gets the key. That of a proxy with its own scheme stays. */
function newHeader(old: Servers, { headers, write }: EntryForm, key: string): Change['values'][number] {
  const value = write('', key)[headers]?.Authorization
  const [name, text = ''] = Object.entries(headersOf(old)).find(([each]) => /^authorization$/i.test(each)) ?? ['Authorization']
  if (/^\s*(?:basic|digest|negotiate)\s/i.test(text)) return { path: [headers, 'X-Carrel-API-Key'], value: key }
  return isRecord(old[headers]) ? { path: [headers, name], value } : { path: [headers], value: { [name]: value } }
}

/** Deletes these headers, and an object that has no others. */
function withoutHeaders(old: Servers, paths: string[][]): Change['values'] {
  const [property = ''] = paths[0] ?? []
  const isAll = paths.length > 0 && Object.keys(old[property] ?? {}).length === paths.length
  return isAll ? [{ path: [property], value: undefined }] : paths.map((path) => ({ path, value: undefined }))
}

/** Plans the changes that return the servers `names` to their state before setup, and keep all that their user changed since. */
export function planRemoval(servers: Servers, original: Servers, form: EntryForm, names: readonly string[]): EntryPlan[] {
  return names.flatMap((name): EntryPlan[] => {
    const [entry, older] = [servers[name], original[name]]
    if (entry === undefined) return []
    if (older === undefined) return [{ name, kind: 'delete' }]
    if (!isRecord(entry) || !isRecord(older) || !wasKept(older, entry)) return [{ name, kind: 'write', entry: older }]
    return [{ name, kind: 'change', ...planReturn(entry, older, form) }]
  })
}

function wasKept(older: Servers, entry: Servers): boolean {
  if (programOf(older) !== undefined) return programOf(older) === programOf(entry)
  return isKept(older, String(addressOf(entry)))
}

function planReturn(entry: Servers, older: Servers, { write, address, headers }: EntryForm): Omit<Change, 'notes'> {
  const values: Change['values'] = []
  const keys: [string, string][] = []
  const back = (path: string[], value: unknown) => values.push({ path, value })
  if (programOf(older) === undefined) for (const name of addressNames) if (older[name] !== entry[name]) back([name], older[name])
  const { [address]: _, ...others } = write('')
  for (const [name, value] of Object.entries(others))
    if (isDeepStrictEqual(entry[name], value) && !isDeepStrictEqual(older[name], value)) back([name], older[name])
  const added: string[][] = []
  const isProgram = programOf(older) !== undefined
  for (const { path, key } of keysOf(entry)) {
    const [text, olderText] = [valueAt(entry, path), valueAt(older, path)]
    const [olderKey] = typeof olderText === 'string' ? keysIn(olderText) : []
    if (isProgram && olderKey !== undefined && olderKey !== key) keys.push([key, olderKey])
    else if (olderText === undefined) added.push(path)
    else if (!isProgram && olderText !== text) back(path, olderText)
  }
  const isHeaders = older[headers] === undefined
  values.push(...(isHeaders ? withoutHeaders(entry, added) : added.map((path) => ({ path, value: undefined }))))
  for (const { path } of keysOf(older)) if (valueAt(entry, path) === undefined) back(path, valueAt(older, path))
  return { keys, values }
}

const valueAt = (value: unknown, path: string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? (inner as Servers)[name] : undefined),
    value,
  )

/** The servers after a plan, which a changed file must contain. */
export function applyPlan({ ...servers }: Servers, plan: EntryPlan): Servers {
  const { [plan.name]: old, ...others } = servers
  if (plan.kind === 'delete') return others
  if (plan.kind === 'write') return { ...servers, [plan.name]: plan.entry }
  const renewed = withKeys(old, plan.keys)
  return { ...servers, [plan.name]: plan.values.reduce((entry, { path, value }) => withValue(entry, path, value), renewed) }
}

function withKeys(value: unknown, keys: [string, string][]): unknown {
  if (typeof value === 'string') return replaceKeys(value, new Map(keys))
  if (Array.isArray(value)) return value.map((each) => withKeys(each, keys))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withKeys(each, keys)]))
}

function withValue(entry: unknown, [name, ...rest]: string[], value: unknown): unknown {
  if (name === undefined) return value
  const { [name]: old, ...others } = isRecord(entry) ? entry : {}
  const inner = withValue(old, rest, value)
  return inner === undefined ? others : { ...others, [name]: inner }
}
