import { isDeepStrictEqual } from 'node:util'
import { parse, stringify } from 'smol-toml'
import { type AST, parseTOML } from 'toml-eslint-parser'
import { entryName, tomlSection as section } from '../../../shared/clients/entries.ts'
import { type Edit, keepingBom, lineEndOf, type Replacement, replaceRanges, UnusableFile, withoutBom } from './edit.ts'
import { applyPlan, type EntryPlan, planRemoval, planSetup, type Target } from './entry-plan.ts'
import { type EntryForm, isAsWritten, replaceKeys, type Servers } from './servers.ts'

/** Adds our server to Codex's configuration. Everything else stays byte for byte. */
export function editToml(form: EntryForm, target: Target): Edit {
  const apply = (text: string, plan: EntryPlan) => keepingBom(text, (body) => applyToToml(body, plan))
  return {
    add(text = '') {
      const { plan, notes } = planSetup(tomlServers(text), form, target)
      return { text: apply(text, plan), server: plan.name, notes }
    },
    remove(text, { original = '', servers = [] } = {}) {
      const plans = planRemoval(tomlServers(text), tomlServers(original), form, servers)
      return plans.reduce(apply, text)
    },
    isIn: (text) => entryName in tomlServers(text),
    removeIdentical(text) {
      const isOurs = isAsWritten(tomlServers(text)[entryName], form)
      return isOurs ? apply(text, { name: entryName, kind: 'delete' }) : text
    },
  }
}

/** The names and values of the servers. Throws UnusableFile. */
export const tomlServers = (text: string): Servers => serversOf(readToml(text))

/** The whole value of a TOML file. Throws UnusableFile. */
export const readToml = (text: string): Servers => readValue(withoutBom(text))

function applyToToml(body: string, plan: EntryPlan): string {
  const path = [section, plan.name]
  if (plan.kind === 'change') return checked(body, changeEntry(body, path, plan), plan)
  if (plan.kind === 'delete') return checked(body, withoutPart(body, path), plan)
  const { inline, parts } = placesOf(body, path)
  if (inline) return checked(body, withInline(body, path, printInline(plan.entry)), plan)
  return checked(body, withTable(body, parts, tableOf(plan.name, plan.entry)), plan)
}

function changeEntry(body: string, path: string[], { keys, values }: Extract<EntryPlan, { kind: 'change' }>): string {
  const renewed = replaceRanges(
    body,
    placesOf(body, path).ranges.map(({ start, end }) => ({
      start,
      end,
      text: replaceKeys(body.slice(start, end), new Map(keys)),
    })),
  )
  return values.reduce((text, { path: inner, value }) => {
    const full = [...path, ...inner]
    return value === undefined ? withoutPart(text, full) : withValue(text, full, value)
  }, renewed)
}

const tableOf = (name: string, entry: unknown): string => `${stringify({ [section]: { [name]: entry } }).trim()}\n`

/** A table replaces the parts of an entry, or is added to the end of the file. */
function withTable(body: string, parts: Part[], printed: string): string {
  const lineEnd = lineEndOf(body)
  const table = printed.replaceAll('\n', lineEnd)
  const first = parts.find(({ isTable }) => isTable)
  const others = parts.filter((part) => part !== first).map((part) => ({ ...withLine(body, part), text: '' }))
  if (first) return replaceRanges(body, [{ start: first.start, end: lineEndAfter(body, first.end), text: table }, ...others])
  const gap = body === '' ? '' : body.endsWith('\n') ? lineEnd : lineEnd + lineEnd
  const text = (/\n\r?\n$/.test(body) ? '' : gap) + table
  return replaceRanges(body, [...others, { start: body.length, end: body.length, text }])
}

type Key = string | number
/** A line `key = value`, or the same in an inline table, with its path and that of its parent. */
type Item = { path: Key[]; base: Key[]; node: AST.TOMLKeyValue; inline: AST.TOMLInlineTable | undefined }
type Part = { start: number; end: number; isTable: boolean }

function itemsOf(body: string): { items: Item[]; tables: { path: Key[]; node: AST.TOMLTable }[] } {
  const items: Item[] = []
  const tables: { path: Key[]; node: AST.TOMLTable }[] = []
  const add = (node: AST.TOMLKeyValue, base: Key[], inline?: AST.TOMLInlineTable) => {
    const path = [...base, ...keyPath(node)]
    items.push({ path, base, node, inline })
    if (node.value.type === 'TOMLInlineTable') for (const each of node.value.body) add(each, path, node.value)
  }
  for (const node of parseTree(body).body[0].body) {
    if (node.type !== 'TOMLTable') {
      add(node, [])
      continue
    }
    tables.push({ path: node.resolvedKey, node })
    for (const each of node.body) add(each, node.resolvedKey)
  }
  return { items, tables }
}

const startsWith = (path: Key[], start: Key[]): boolean => start.every((key, at) => path[at] === key)
const isPath = (path: Key[], other: Key[]): boolean => path.length === other.length && startsWith(path, other)

const keyPath = ({ key }: AST.TOMLKeyValue): string[] =>
  key.keys.map((each) => (each.type === 'TOMLBare' ? each.name : each.value))

/** The ranges of the part of a file at `path`: its tables and lines, or its place in the inline table that it is in. */
function placesOf(body: string, path: string[]) {
  const { items, tables } = itemsOf(body)
  const own = items.filter((item) => startsWith(item.path, path) && !startsWith(item.base, path))
  const parts: Part[] = [
    ...tables.filter((table) => startsWith(table.path, path)).map(({ node }) => ({ ...rangeOf(node), isTable: true })),
    ...own.filter(({ inline }) => !inline).map(({ node }) => ({ ...rangeOf(node), isTable: false })),
  ].sort((a, b) => a.start - b.start)
  const inlineItems = own.filter(({ inline }) => inline)
  if (inlineItems.some((item) => item.path.length > path.length))
    throw new UnusableFile(`has ${path.at(-1)} with dotted keys in an inline table`)
  const [inlineEntry] = inlineItems.map(({ node }) => node)
  const parent = items.find((item) => isPath(item.path, path.slice(0, -1)))?.node.value
  return {
    parts,
    inlineEntry,
    /** The inline table that has the part, or gets it. */
    inline: parent?.type === 'TOMLInlineTable' ? parent : undefined,
    ranges: [...parts, ...inlineItems.map(({ node }) => rangeOf(node))],
  }
}

const rangeOf = ({ range: [start, end] }: { range: AST.Range }) => ({ start, end })

function withoutPart(body: string, path: string[]): string {
  const { parts, inline, inlineEntry } = placesOf(body, path)
  if (inline && inlineEntry) return replaceRanges(body, withoutItem(inline, inlineEntry))
  return replaceRanges(
    body,
    parts.map((part) => ({ ...withLine(body, part), text: '' })),
  )
}

/** Sets a value of an entry, next to those that the entry has. */
function withValue(body: string, path: string[], value: unknown): string {
  const { items, tables } = itemsOf(body)
  const old = items.find((item) => isPath(item.path, path))
  if (old)
    return replaceRanges(body, [{ ...rangeOf(old.node.value), text: printLike(body.slice(...old.node.value.range), value) }])
  for (let depth = path.length - 1; depth >= 2; depth--) {
    const [start, rest] = [path.slice(0, depth), path.slice(depth)]
    const [key = '', ...deeper] = rest
    const printed = printInline(deeper.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value))
    if (items.some((item) => isPath(item.path, start) && item.node.value.type === 'TOMLInlineTable'))
      return withInline(body, path.slice(0, depth + 1), printed)
    const table = tables.find((each) => isPath(each.path, start))?.node
    const dotted = items.filter((item) => startsWith(item.path, start) && item.base.length < depth && !item.inline).at(-1)
    const last = table?.body.at(-1) ?? table ?? dotted?.node
    if (!last) continue
    const before = table ? '' : `${writtenKey(body, dotted, depth)}.`
    return withLineAfter(body, last, `${before}${printKey(key)} = ${printed}`)
  }
  const [name = '', key = '', ...more] = path.slice(1)
  const inner = tables.find((each) => startsWith(each.path, [section, name]))
  if (inner && more.length === 0) {
    const lines = [`[${section}.${printKey(name)}]`, `${printKey(key)} = ${printInline(value)}`, '', '']
    return replaceRanges(body, [{ start: inner.node.range[0], end: inner.node.range[0], text: lines.join(lineEndOf(body)) }])
  }
  throw new UnusableFile('has a form that setup cannot change safely')
}

/** The first keys of a dotted key, as they are written. */
function writtenKey(body: string, item: Item | undefined, depth: number): string {
  const { keys } = item?.node.key ?? { keys: [] }
  const last = keys[depth - (item?.base.length ?? 0) - 1]
  return body.slice(keys[0]?.range[0], last?.range[1])
}

function withLineAfter(body: string, node: AST.TOMLNode, line: string): string {
  const lineEnd = lineEndOf(body)
  const at = lineEndAfter(body, node.range[1])
  const indent = /^[ \t]*/.exec(body.slice(body.lastIndexOf('\n', node.range[0] - 1) + 1))?.[0] ?? ''
  const text = (at > 0 && body[at - 1] !== '\n' ? lineEnd : '') + indent + line + lineEnd
  return replaceRanges(body, [{ start: at, end: at, text }])
}

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

const printKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))

/** A value on one line. */
function printInline(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date)
    return stringify({ value }).trim().slice('value = '.length)
  const items = Object.entries(value).map(([name, each]) => `${printKey(name)} = ${printInline(each)}`)
  return items.length > 0 ? `{ ${items.join(', ')} }` : '{}'
}

/** The same, with the quotes of the former value. */
const printLike = (former: string, value: unknown): string =>
  former.startsWith("'") && typeof value === 'string' && /^[\x20-\x26\x28-\x7e]*$/.test(value) ? `'${value}'` : printInline(value)

/** `printed` becomes the value at `path`, in the inline table that has it or gets it. */
function withInline(body: string, path: string[], printed: string): string {
  const { inline, inlineEntry } = placesOf(body, path)
  if (inlineEntry) return replaceRanges(body, [{ ...rangeOf(inlineEntry.value), text: printed }])
  if (!inline) return body
  const line = `${printKey(path.at(-1) ?? '')} = ${printed}`
  const last = inline.body.at(-1)
  if (!last) return replaceRanges(body, [{ ...rangeOf(inline), text: `{ ${line} }` }])
  return replaceRanges(body, [{ start: last.range[1], end: last.range[1], text: `, ${line}` }])
}

function withoutItem(table: AST.TOMLInlineTable, item: AST.TOMLKeyValue): Replacement[] {
  const at = table.body.indexOf(item)
  const [previous, next] = [table.body[at - 1], table.body[at + 1]]
  if (!previous && !next) return [{ ...rangeOf(table), text: '{}' }]
  if (previous) return [{ start: previous.range[1], end: item.range[1], text: '' }]
  return [{ start: item.range[0], end: next?.range[0] ?? item.range[1], text: '' }]
}

/** Throws UnusableFile if `result` is anything but the old values with the plan applied to them. */
function checked(body: string, result: string, plan: EntryPlan): string {
  const [before, after] = [readValue(body), readValue(result)]
  const expected = { ...before, [section]: applyPlan(serversOf(before), plan) }
  if (!isDeepStrictEqual({ ...after, [section]: serversOf(after) }, expected))
    throw new UnusableFile('has a form that setup cannot change safely')
  return result
}

function serversOf(value: Record<string, unknown>): Servers {
  const servers = value[section] ?? {}
  if (typeof servers !== 'object' || Array.isArray(servers)) throw new UnusableFile(`has a "${section}" that is not a table`)
  return servers as Servers
}

const parseTree = (body: string): AST.TOMLProgram => read(() => parseTOML(body, { tomlVersion: '1.0' }))
/** A second parser reads the value, so that a mistake of one is noticed. */
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
