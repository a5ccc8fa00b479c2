import { isDeepStrictEqual } from 'node:util'
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { entryName } from '../../../shared/clients/entries.ts'
import { type Edit, keepingBom, lineEndOf, replaceRanges, UnusableFile, withoutBom } from './edit.ts'
import { applyPlan, type EntryPlan, planRemoval, planSetup, type Target } from './entry-plan.ts'
import { insertProperty, propertyRange, type Style } from './insert-property.ts'
import { type EntryForm, isAsWritten, replaceKeys, type Servers } from './servers.ts'

/** Adds our server to a section of a JSON file, such as `mcpServers`. Comments and trailing commas are allowed. */
export function editJson(section: string, form: EntryForm, target: Target): Edit {
  const apply = (text: string, plan: EntryPlan) => notTooDeep(() => keepingBom(text, (body) => applyToJson(body, section, plan)))
  return {
    add(text = '') {
      const { plan, notes } = planSetup(jsonServers(text, section), form, target)
      return { text: apply(text, plan), server: plan.name, notes }
    },
    remove(text, { original = '', servers = [] } = {}) {
      const plans = planRemoval(jsonServers(text, section), jsonServers(original, section), form, servers)
      return plans.reduce(apply, text)
    },
    isIn: (text) => entryName in jsonServers(text, section),
    removeIdentical(text) {
      const isOurs = isAsWritten(jsonServers(text, section)[entryName], form)
      return isOurs ? apply(text, { name: entryName, kind: 'delete' }) : text
    },
  }
}

/** The names and values of the servers in a JSON file. Throws UnusableFile. */
export function jsonServers(text: string, section: string): Servers {
  return notTooDeep(() => {
    const value = find(parse(withoutBom(text)), [section])?.value
    if (!value || value.type === 'null') return {}
    if (value.type !== 'object') throw new UnusableFile(`has a "${section}" that is not an object`)
    return objectOf(value)
  })
}

/** The whole value of a JSON file. Throws UnusableFile. */
export function readJson(text: string): Servers {
  return notTooDeep(() => {
    const root = parse(withoutBom(text))
    return root ? objectOf(root) : {}
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

function applyToJson(body: string, section: string, plan: EntryPlan): string {
  const path = [section, plan.name]
  if (plan.kind === 'delete') return checked(body, deleteEntry(body, path), section, plan)
  if (plan.kind === 'write') return checked(body, withValue(body, path, plan.entry), section, plan)
  const entry = parse(body) && find(parse(body), path)?.value
  if (!entry) return body
  const end = entry.offset + entry.length
  const renewed = body.slice(0, entry.offset) + replaceKeys(body.slice(entry.offset, end), new Map(plan.keys)) + body.slice(end)
  const changed = plan.values.reduce((text, { path: inner, value }) => {
    const full = [...path, ...inner]
    return value === undefined ? withoutValue(text, full) : withValue(text, full, value)
  }, renewed)
  return checked(body, changed, section, plan)
}

function withValue(body: string, path: string[], value: unknown): string {
  const style = styleOf(body)
  const root = parse(body)
  if (!root) return body + style.print(nested(path, value), '') + style.lineEnd
  let object: Node = root
  for (const [at, name] of path.entries()) {
    const rest = nested(path.slice(at + 1), value)
    const old = find(object, [name])?.value
    if (!old) return replaceRanges(body, insertProperty(body, object, { name, value: rest }, style))
    if (at === path.length - 1 || old.type !== 'object') {
      const text = style.print(rest, style.indentAt(old.offset))
      return replaceRanges(body, [{ start: old.offset, end: old.offset + old.length, text }])
    }
    object = old
  }
  return body
}

const nested = (path: string[], value: unknown): unknown => path.reduceRight((inner, name) => ({ [name]: inner }), value)

function withoutValue(body: string, path: string[]): string {
  const match = find(parse(body), path)
  return match ? replaceRanges(body, propertyRange(body, match.object, match.property)) : body
}

/** An empty section goes, too, unless it holds comments. */
function deleteEntry(body: string, [section = '', name = '']: string[]): string {
  const root = parse(body)
  const servers = find(root, [section])
  const entry = servers && find(servers.value, [name])
  if (!root || !entry) return body
  const ofEntry = propertyRange(body, servers.value, entry.property)
  const { offset, length } = servers.value
  const isEmpty = ofEntry.every(({ start, end }) => start === offset + 1 && end === offset + length - 1)
  return replaceRanges(body, isEmpty ? propertyRange(body, root, servers.property) : ofEntry)
}

/** Throws UnusableFile if `result` is anything but the old values with the plan applied to them. */
function checked(body: string, result: string, section: string, plan: EntryPlan): string {
  const [before, after] = [body, result].map((each) => {
    const { [section]: servers = {}, ...others } = readJson(each)
    return { servers, others }
  })
  const expected = { servers: applyPlan(before?.servers as Servers, plan), others: before?.others }
  if (!isDeepStrictEqual(after, expected)) throw new UnusableFile('has a form that setup cannot change safely')
  return result
}

/** jsonc-parser makes objects without a prototype, which equal no others. */
const objectOf = (node: Node): Servers => JSON.parse(JSON.stringify(getNodeValue(node)))

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

type Found = { object: Node; property: Node; value: Node }

/** The property at a path of names, its value, and the object that has it. Throws UnusableFile for a repeated name. */
function find(root: Node | undefined, path: string[]): Found | undefined {
  let match: Found | undefined
  let object = root
  for (const name of path) {
    if (object?.type !== 'object') return undefined
    const properties = (object.children ?? []).filter(({ children }) => children?.[0]?.value === name)
    if (properties.length > 1) throw new UnusableFile(`has "${name}" twice`)
    const [property] = properties
    const value = property?.children?.[1]
    if (!property || !value) return undefined
    match = { object, property, value }
    object = value
  }
  return match
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

/**
 * The part of a file that a parser of strict JSON rejects although it is valid with comments, as the end of a sentence. Undefined
 * if there is none.
 */
export function strictJsonError(text: string): string | undefined {
  if (text.startsWith('\uFEFF')) return 'begins with a byte order mark'
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: true })
  const [error] = errors
  if (!error) return undefined
  return `has a comment or a trailing comma (line ${text.slice(0, error.offset).split('\n').length})`
}
