import { isDeepStrictEqual } from 'node:util'
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type Edit, keepingBom, lineEndOf, type Replacement, replaceRanges, UnusableFile } from './edit.ts'
import { type Entry, entryName } from './entries.ts'
import { insertProperty, propertyRange, type Style } from './insert-property.ts'

type Json = Record<string, unknown>

/** Adds our server to a section of a JSON file, such as `mcpServers`. Comments and trailing commas are allowed. */
export const editJson = (section: string, entry: Entry): Edit => ({
  add: (text = '') => notTooDeep(() => keepingBom(text, (body) => addEntry(body, section, entry))),
  remove: (text, original = '') =>
    notTooDeep(() => keepingBom(text, (body) => removeEntry(body, section, jsonServers(original, section)[entryName]))),
})

/** The names and values of the servers in a JSON file. Throws UnusableFile. */
export function jsonServers(text: string, section: string): Json {
  return notTooDeep(() => {
    const root = parse(text.replace(/^\uFEFF/, ''))
    const servers = root && find(root, section)?.value
    return servers ? objectOf(servers) : {}
  })
}

/** The parser is recursive. */
function notTooDeep<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof RangeError ? new UnusableFile('is nested too deeply') : error
  }
}

function addEntry(body: string, section: string, entry: Entry): string {
  const style = styleOf(body)
  const root = parse(body)
  if (!root) return body + style.print({ [section]: { [entryName]: entry } }, '') + style.lineEnd
  const servers = find(root, section)?.value
  if (!servers)
    return checked(body, insertProperty(body, root, { name: section, value: { [entryName]: entry } }, style), section, entry)
  const old = find(servers, entryName)?.value
  if (!old) return checked(body, insertProperty(body, servers, { name: entryName, value: entry }, style), section, entry)
  if (isSameServer(objectOf(old), entry)) return body
  return replaceEntry(body, section, { old, entry })
}

function replaceEntry(body: string, section: string, { old, entry }: { old: Node; entry: unknown }): string {
  const style = styleOf(body)
  const replacement = { start: old.offset, end: old.offset + old.length, text: style.print(entry, style.indentAt(old.offset)) }
  return checked(body, [replacement], section, entry)
}

/** `older` is the server that our entry replaced. */
function removeEntry(body: string, section: string, older: unknown): string {
  const root = parse(body)
  const servers = root && find(root, section)
  const entry = servers && find(servers.value, entryName)
  if (!entry) return body
  if (older !== undefined) return replaceEntry(body, section, { old: entry.value, entry: older })
  const ofEntry = propertyRange(body, servers.value, entry.property)
  // An empty section goes, too, unless it holds comments.
  const { offset, length } = servers.value
  const isEmpty = ofEntry.every(({ start, end }) => start === offset + 1 && end === offset + length - 1)
  const replacements = isEmpty ? propertyRange(body, root, servers.property) : ofEntry
  return checked(body, replacements, section, undefined)
}

/** True if an entry is ours, whatever options it has in addition. */
export function isSameServer(old: unknown, entry: Record<string, unknown>): boolean {
  if (typeof old !== 'object' || old === null) return false
  const has = (name: string) => [old, entry].map((each) => name in each)
  const differs = ['command', 'headers', 'http_headers'].some((name) => has(name)[0] !== has(name)[1])
  return !differs && Object.entries(entry).every(([name, value]) => isDeepStrictEqual((old as Json)[name], value))
}

/** Applies replacements. Throws UnusableFile if the result would be anything but the old values with the change in them. */
function checked(body: string, replacements: Replacement[], section: string, entry: unknown): string {
  const result = replaceRanges(body, replacements)
  const [before, after] = [body, result].map((each) => {
    const { [section]: servers = {}, ...others } = readValue(each) ?? {}
    return { servers: servers as Json, others }
  })
  const { [entryName]: _, ...servers } = before?.servers ?? {}
  const expected = { servers: entry === undefined ? servers : { ...servers, [entryName]: entry }, others: before?.others }
  if (!isDeepStrictEqual(after, expected)) throw new UnusableFile('has a form that setup cannot change safely')
  return result
}

function readValue(body: string): Json | undefined {
  const root = parse(body)
  return root && objectOf(root)
}

/** jsonc-parser makes objects without a prototype, which equal no others. */
const objectOf = (node: Node): Json => JSON.parse(JSON.stringify(getNodeValue(node)))

/** The object of a file; undefined if it holds no value. */
function parse(body: string): Node | undefined {
  const errors: ParseError[] = []
  const root = parseTree(body, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [error] = errors
  if (error) {
    const line = body.slice(0, error.offset).split('\n').length
    throw new UnusableFile(`is not valid JSON (line ${line}: ${printParseErrorCode(error.error)})`)
  }
  if (root && root.type !== 'object') throw new UnusableFile('does not hold a JSON object')
  return root
}

/** The property of an object with this name and its value, an object unless it is our entry. */
function find(object: Node, name: string): { property: Node; value: Node } | undefined {
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === name)
  if (found.length > 1) throw new UnusableFile(`has "${name}" twice`)
  const [property] = found
  const value = property?.children?.[1]
  if (!property || !value) return undefined
  if (name !== entryName && value.type !== 'object') throw new UnusableFile(`has a "${name}" that is not an object`)
  return { property, value }
}

function styleOf(body: string): Style {
  const lineEnd = lineEndOf(body)
  const unit = /^[ \t]+(?=")/m.exec(body)?.[0] ?? '  '
  const isOneLine = body.trim() !== '' && !body.trim().includes('\n') && body.includes(':')
  return {
    lineEnd,
    unit,
    isOneLine,
    indentAt: (offset) => /^[ \t]*/.exec(body.slice(body.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '',
    print(value, indent) {
      if (isOneLine) return JSON.stringify(value)
      return JSON.stringify(value, null, unit).replaceAll('\n', lineEnd + indent)
    },
  }
}
