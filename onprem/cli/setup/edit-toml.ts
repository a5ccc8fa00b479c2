import { isDeepStrictEqual } from 'node:util'
import { parse, stringify } from 'smol-toml'
import { type AST, parseTOML } from 'toml-eslint-parser'
import { type Edit, keepingBom, lineEndOf, type Replacement, replaceRanges, UnusableFile } from './edit.ts'
import { isSameServer } from './edit-json.ts'
import { entryName, printToml, tomlSection as section, type TomlEntry } from './entries.ts'

/** Adds our server to Codex's configuration. Everything else stays byte for byte. */
export const editToml = (entry: TomlEntry): Edit => ({
  add: (text = '') => keepingBom(text, (body) => addEntry(body, entry)),
  remove: (text, original = '') => keepingBom(text, (body) => removeEntry(body, withoutBom(original))),
})

/** The names and values of the servers. Throws UnusableFile. */
export const tomlServers = (text: string): Record<string, unknown> => serversOf(readValue(withoutBom(text)))

const withoutBom = (text: string): string => text.replace(/^\uFEFF/, '')

function addEntry(body: string, entry: TomlEntry): string {
  const { parts, inline } = placesIn(body)
  if (isSameServer(serversOf(readValue(body))[entryName], entry)) return body
  if (inline) return checked(body, withInline(inline, printInline(entry)), entry)
  return replaceParts(body, parts, { entry, table: printToml(entry) })
}

/** An older server of our name in `original` takes the place of ours, in the form that it had or as tables. */
function removeEntry(body: string, original: string): string {
  const { parts, inline } = placesIn(body)
  const older = serversOf(readValue(original))[entryName]
  if (older !== undefined && parts.length > 0) return replaceParts(body, parts, { entry: older, table: tableOf(older) })
  const olderInline = placesIn(original).inline?.body.find((each) => keyPath(each)[0] === entryName)?.value.range
  if (inline && olderInline && inline.body.some((each) => keyPath(each)[0] === entryName))
    return checked(body, withInline(inline, original.slice(...olderInline)), older)
  const replacements = inline ? withoutInline(inline) : parts.map((part) => ({ ...withLine(body, part), text: '' }))
  return checked(body, replacements, undefined)
}

/** `table` is `entry` in TOML. */
function replaceParts(body: string, parts: Part[], { entry, table: printed }: { entry: unknown; table: string }): string {
  const lineEnd = lineEndOf(body)
  const table = printed.replaceAll('\n', lineEnd)
  const first = parts.find(({ isTable }) => isTable)
  const others = parts.filter((part) => part !== first).map((part) => ({ ...withLine(body, part), text: '' }))
  if (first) return checked(body, [{ start: first.start, end: lineEndAfter(body, first.end), text: table }, ...others], entry)
  const gap = body === '' ? '' : body.endsWith('\n') ? lineEnd : lineEnd + lineEnd
  return checked(
    body,
    [...others, { start: body.length, end: body.length, text: (/\n\r?\n$/.test(body) ? '' : gap) + table }],
    entry,
  )
}

const tableOf = (entry: unknown): string => `${stringify({ [section]: { [entryName]: entry } }).trim()}\n`

type Part = { start: number; end: number; isTable: boolean }
type Places = {
  /** The tables and lines of our server. */
  parts: Part[]
  /** The whole section, if it is one inline table. */
  inline: AST.TOMLInlineTable | undefined
}

function placesIn(body: string): Places {
  const places: Places = { parts: [], inline: undefined }
  const [top] = parseTree(body).body
  for (const each of top.body) {
    const path = each.type === 'TOMLTable' ? each.resolvedKey : keyPath(each)
    if (isOurs(path)) places.parts.push({ start: each.range[0], end: each.range[1], isTable: each.type === 'TOMLTable' })
    else if (each.type === 'TOMLTable') for (const value of each.body) note(places, value, [...path, ...keyPath(value)])
    else note(places, each, path)
  }
  return places
}

function note(places: Places, { range: [start, end], value }: AST.TOMLKeyValue, path: (string | number)[]): void {
  if (isOurs(path)) places.parts.push({ start, end, isTable: false })
  else if (path.length === 1 && path[0] === section && value.type === 'TOMLInlineTable') places.inline = value
}

const isOurs = ([first, second]: (string | number)[]): boolean => first === section && second === entryName

const keyPath = ({ key }: AST.TOMLKeyValue): string[] =>
  key.keys.map((each) => (each.type === 'TOMLBare' ? each.name : each.value))

/** A part with its line end and the empty lines before it. */
function withLine(body: string, { start: offset, end }: Part): { start: number; end: number } {
  let start = body.lastIndexOf('\n', offset - 1) + 1
  while (body[start - 2] === '\n' || body.slice(start - 3, start) === '\n\r\n') start = body.lastIndexOf('\n', start - 2) + 1
  return { start, end: lineEndAfter(body, end) }
}

const lineEndAfter = (body: string, offset: number): number => {
  const end = body.indexOf('\n', offset)
  return end < 0 ? body.length : end + 1
}

function printInline({ type, url, http_headers }: TomlEntry): string {
  const headers = http_headers ? `, http_headers = { Authorization = ${JSON.stringify(http_headers.Authorization)} }` : ''
  return `{ type = ${JSON.stringify(type)}, url = ${JSON.stringify(url)}${headers} }`
}

/** `value` is our entry in TOML. */
function withInline(table: AST.TOMLInlineTable, value: string): Replacement[] {
  const ours = table.body.filter((each) => keyPath(each)[0] === entryName)
  const [only] = ours
  if (only && (ours.length > 1 || only.key.keys.length > 1))
    throw new UnusableFile(`has ${entryName} with dotted keys in the inline table ${section}`)
  if (only) return [{ start: only.value.range[0], end: only.value.range[1], text: value }]
  const last = table.body.at(-1)
  if (!last) return [{ start: table.range[0], end: table.range[1], text: `{ ${entryName} = ${value} }` }]
  return [{ start: last.range[1], end: last.range[1], text: `, ${entryName} = ${value}` }]
}

function withoutInline(table: AST.TOMLInlineTable): Replacement[] {
  const [start, end] = table.range
  if (table.body.length > 0 && table.body.every((each) => keyPath(each)[0] === entryName)) return [{ start, end, text: '{}' }]
  return table.body.flatMap((each, index) => {
    if (keyPath(each)[0] !== entryName) return []
    const previous = table.body[index - 1]
    const next = table.body[index + 1]
    if (previous) return [{ start: previous.range[1], end: each.range[1], text: '' }]
    return [{ start: each.range[0], end: next ? next.range[0] : each.range[1], text: '' }]
  })
}

/** Applies replacements. Throws UnusableFile if the result would be anything but the old values with the change in them. */
function checked(body: string, replacements: Replacement[], entry: unknown): string {
  const result = replaceRanges(body, replacements)
  const [before, after] = [readValue(body), readValue(result)]
  const { [entryName]: _, ...others } = serversOf(before)
  const { [section]: __, ...rest } = before
  const expected = { ...rest, [section]: entry === undefined ? others : { ...others, [entryName]: entry } }
  if (!isDeepStrictEqual({ ...after, [section]: serversOf(after) }, expected))
    throw new UnusableFile('has a form that setup cannot change safely')
  return result
}

function serversOf(value: Record<string, unknown>): Record<string, unknown> {
  const servers = value[section] ?? {}
  if (typeof servers !== 'object' || Array.isArray(servers)) throw new UnusableFile(`has a "${section}" that is not a table`)
  return servers as Record<string, unknown>
}

const parseTree = (body: string): AST.TOMLProgram => read(() => parseTOML(body, { tomlVersion: '1.0' }))
/** By a second parser, so that a mistake of one is noticed. */
const readValue = (body: string): Record<string, unknown> => plain(read(() => parse(body, { integersAsBigInt: 'asNeeded' })))

function read<T>(parsed: () => T): T {
  try {
    return parsed()
  } catch (error) {
    const line = error instanceof Error && ('lineNumber' in error ? error.lineNumber : 'line' in error ? error.line : undefined)
    throw new UnusableFile(`is not valid TOML${typeof line === 'number' ? ` (line ${line})` : ''}`)
  }
}

/** Objects with the usual prototype, so that they can be compared. */
function plain(value: Record<string, unknown>): Record<string, unknown> {
  const copy = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(copy)
    if (typeof each !== 'object' || each === null || each instanceof Date) return each
    return plain(each as Record<string, unknown>)
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copy(each)]))
}
