import { isDeepStrictEqual } from 'node:util'
import { type AddressName, addressNames, type Entry, type Headers } from '../../../shared/clients/entries.ts'
import { keyHeaders } from '../../../shared/http/request-key.ts'

/** The servers of a configuration, by name. Their values can be anything that a person wrote. */
export type Servers = Record<string, unknown>

/** The form in which one client writes an entry. */
export type EntryForm = {
  write(url: string, key?: string): Entry
  /** The property that holds the address. */
  address: AddressName
  /** The property that holds the headers. */
  headers: keyof Headers
  /** The client rejects an entry that has an address but lacks one of these properties. */
  needed: readonly string[]
}

/** Keys with the prefixes of `keyPrefixes`. */
const ourKeys = /carrel_(?:op|sk)_[\w-]+/g
const variable = /\$\{|\{(?:env|file):/
const shellVariable = /^(?:bearer\s+)?(?:\$\w+|%\w+%)$/i
/** The variable that setup itself reads. */
const ourVariable = 'CARREL_API_KEY'

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True for a form that no client replaces. The file may be committed, so it must not get the key. */
export const namesShellVariable = (text: string): boolean => shellVariable.test(text)

export const namesVariable = (text: unknown): boolean =>
  typeof text === 'string' && (variable.test(text) || namesShellVariable(text))

/** The keys of Carrel in a text. */
export const keysIn = (text: string): string[] => text.match(ourKeys) ?? []

/** A text in which other keys of Carrel replace some. */
export const replaceKeys = (text: string, keys: Map<string, string>): string =>
  text.replace(ourKeys, (key) => keys.get(key) ?? key)

/** The strings of an entry with their paths. */
function stringsOf(value: unknown, path: string[] = []): { path: string[]; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => stringsOf(each, [...path, name]))
}

/** The keys of Carrel that an entry sends, with their paths: in a header, or anywhere if it starts a program. */
export function keysOf(entry: Servers): { path: string[]; key: string }[] {
  const isProgram = programOf(entry) !== undefined
  return stringsOf(entry)
    .filter(({ path: [property = '', name = ''] }) => isProgram || (/^(?:http_)?headers$/.test(property) && isKeyHeader(name)))
    .flatMap(({ path, text }) => keysIn(text).map((key) => ({ path, key })))
}

/** The headers that a client sends, by their name in the entry. */
export function headersOf(entry: Servers): Record<string, string> {
  const headers = [entry.headers, entry.http_headers].filter(isRecord)
  return Object.fromEntries(headers.flatMap((each) => Object.entries(each).filter(isText)))
}

const isText = (pair: [string, unknown]): pair is [string, string] => typeof pair[1] === 'string'

export const isKeyHeader = (name: string): boolean => keyHeaders.some((each) => each === name.toLowerCase())

/** The property of an entry that holds its address. */
export const addressNameOf = (entry: Servers): AddressName | undefined => addressNames.find((name) => entry[name] !== undefined)

/** The address of an entry, which can be anything that a person wrote. */
export const addressOf = (entry: Servers): unknown => entry[addressNameOf(entry) ?? 'url']

/** The program that an entry starts instead of connecting itself, such as `npx`. */
export function programOf(entry: Servers): string | undefined {
  const [program] = [entry.command].flat()
  return typeof program === 'string' && addressOf(entry) === undefined ? program : undefined
}

/** True if an entry leads to the MCP server at `url`, directly or through a program such as mcp-remote. */
export function leadsTo(entry: unknown, url: string): boolean {
  if (!isRecord(entry)) return false
  if (programOf(entry) === undefined) return entry.command === undefined && isSameAddress(addressOf(entry), url)
  const addresses = stringsOf(entry).flatMap(({ text }) => text.match(/https?:\/\/[^\s"'`]+/gi) ?? [])
  return addresses.some((each) => isSameAddress(each, url))
}

/** Host names in upper case, default ports and slashes make no difference; neither does a query, which its user added. */
export function isSameAddress(one: unknown, other: string): boolean {
  const [a, b] = [plainAddress(one), plainAddress(other)]
  return a !== undefined && a === b
}

function plainAddress(text: unknown): string | undefined {
  try {
    const { origin, pathname } = new URL(String(text))
    return `${origin}${pathname.replace(/\/+/g, '/').replace(/\/$/, '')}`
  } catch {
    return undefined
  }
}

/** True if the key of an entry is not in the file: a variable, another file or a program holds it. */
export function hasKeyElsewhere(entry: Servers): boolean {
  if (programOf(entry) !== undefined)
    return keysOf(entry).length === 0 && stringsOf(entry).some(({ text }) => namesVariable(text))
  if (typeof entry.headersHelper === 'string' || typeof entry.bearer_token_env_var === 'string') return true
  if (isRecord(entry.env_http_headers) && Object.keys(entry.env_http_headers).some(isKeyHeader)) return true
  return Object.entries(headersOf(entry)).some(([name, text]) => isKeyHeader(name) && namesVariable(text))
}

/** True if an entry of another address holds a secret that may be of another service, which must not reach the new address. */
export function hasOtherSecrets(entry: Servers): boolean {
  const { headersHelper, oauth, auth, bearer_token, bearer_token_env_var: token, env_http_headers: byVariable = {} } = entry
  if ([headersHelper, bearer_token].some((each) => each !== undefined) || isRecord(oauth) || isRecord(auth)) return true
  const names = [token ?? ourVariable, ...Object.values(byVariable as Servers)]
  if (names.some((name) => name !== ourVariable)) return true
  return Object.entries(headersOf(entry)).some(
    ([name, text]) =>
      (namesVariable(text) || /auth|key|token|secret|cookie/i.test(name)) &&
      keysIn(text).length === 0 &&
      !text.includes(ourVariable),
  )
}

/** True if an entry has only properties that setup writes for some deployment. */
export function isAsWritten(entry: unknown, { write, address, headers, needed }: EntryForm): boolean {
  if (!isRecord(entry)) return false
  const url = entry[address]
  if (typeof url !== 'string' || !/^https?:\/\/.*\/mcp$/.test(url)) return false
  const { Authorization: sent } = (entry[headers] ?? {}) as Servers
  const [key] = keysIn(String(sent))
  const written = write(url, key) as Servers
  const isPart = Object.entries(entry).every(([name, value]) => isDeepStrictEqual(written[name], value))
  return isPart && needed.every((name) => name in entry)
}
