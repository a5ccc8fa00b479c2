import { lineOfRows } from '../page/included-lines.ts'
import { exportedValues } from './exported-values.ts'
import { fenceRoles, joinLines, type Line } from './syntax/line.ts'
import { inlineCode, mayHoldSnippet, snippetFiles, snippetPath } from './syntax/snippet-files.ts'
import { readTag, type Tag } from './syntax/tag.ts'

const importLine = /^import\s+(?:([A-Za-z_$][\w$]*)\s*,?\s*)?(?:\{([^{}]*)\}\s*)?from\s+["']([^"']+)["'];?\s*$/
const documentPath = /\.mdx?$/i
const maxTagLines = 30
const maxImport = 500

type Imported = { path: string; exported: string }
type Names = Map<string, Imported>
type Values = Record<string, string>
type ReadDocument = (path: string) => Line[] | undefined

/** A fast test for `import` of documents and Mintlify's `<Snippet file="…" />`. */
export const mayImport = (text: string): boolean => /^import\s.*\.mdx?["']/m.test(text) || mayHoldSnippet(text)

/** Paths of the documents that a text imports. */
export function documentImports(text: string): string[] {
  const imports = [...text.matchAll(/^import\s.*?from\s+["']([^"'\r\n]+\.mdx?)["']/gim)].map(([, path = '']) => path)
  return [...imports, ...snippetFiles(text)]
}

/** Replaces components with the documents that they import, and fills in plain string properties. */
export function expandImports(lines: Line[], read: ReadDocument): Line[] {
  const isUsed = ({ text }: Line) =>
    mayHoldSnippet(text) || text.startsWith('export const ') || (text.startsWith('import ') && mayImport(text))
  if (!lines.some(isUsed)) return lines
  const roles = fenceRoles(lines)
  const names = new Map<string, Imported>()
  lines.forEach(({ text }, i) => {
    if (roles[i] === 'outside') for (const [name, imported] of importsOf(text)) names.set(name, imported)
  })
  const texts = new Map<string, Line[] | undefined>()
  const readOnce = (path: string): Line[] | undefined => {
    if (!texts.has(path)) texts.set(path, read(path))
    return texts.get(path)
  }
  const own = exportedValues(joinLines(lines.filter((_, i) => roles[i] === 'outside')))
  const strings = {
    ...stringsOf(names, readOnce),
    ...Object.fromEntries([...own].map(([name, text]) => [name.toLowerCase(), text])),
  }
  const out: Line[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]
    if (!line) continue
    if (roles[i] !== 'outside') out.push(line)
    else if (importsOf(line.text).length > 0) out.push({ ...line, text: '' })
    else i += placeUses(lines, i, names, readOnce, strings, out)
  }
  return out
}

/** Writes one line with its components replaced by documents. Returns the number of further lines that its last tag spans. */
function placeUses(lines: Line[], at: number, names: Names, read: ReadDocument, strings: Values, out: Line[]): number {
  const origin = lines[at]?.at ?? 1
  const write = (text: string, at = origin) => out.push({ text, at })
  let before = ''
  let rest = lines[at]?.text ?? ''
  let reached = 0
  for (let use = useIn(rest, lines, at, names); use !== undefined; use = useIn(rest, lines, at + reached, names)) {
    const body = filled(bodyOf(use.imported, read), use.tag.attributes)
    const full = body.filter(({ text }) => text.trim() !== '')
    before += use.before
    rest = use.after
    reached += use.more
    if (full.length <= 1 && before.trim() + rest.trim() !== '') before += full[0]?.text.trim() ?? ''
    else {
      const indent = before.trim() === '' ? before : ''
      write(before)
      write('')
      for (const { text, at: from } of body) write(text === '' ? '' : indent + text, from)
      write('')
      before = ''
      rest = rest.trimStart()
    }
  }
  if (before + rest !== '' || reached === 0) write(fill(before + rest, strings))
  return reached
}

function importsOf(text: string): [string, Imported][] {
  const [, name, list = '', path = ''] =
    text.startsWith('import ') && text.length <= maxImport ? (importLine.exec(text) ?? []) : []
  if (!documentPath.test(path)) return []
  const named = list.split(',').flatMap((item): [string, Imported][] => {
    const [exported = '', alias = exported] = item.trim().split(/\s+as\s+/)
    return !/^[\w$]+$/.test(exported) ? [] : [[alias, { path, exported }]]
  })
  return name === undefined ? named : [[name, { path, exported: 'default' }], ...named]
}

type Use = { imported: Imported; tag: Tag; before: string; after: string; more: number }

/** The first component of a text that imports a document: `<X />` or `<X></X>`, on one line or several. */
function useIn(rest: string, lines: Line[], at: number, names: Names): Use | undefined {
  const isCode = inlineCode(rest)
  for (const { 1: name = '', index } of rest.matchAll(/<([A-Z][\w$]*)/g)) {
    if ((!names.has(name) && name !== 'Snippet') || isCode(index)) continue
    let text = rest
    for (let more = 0; more < maxTagLines; more++) {
      const tag = readTag(text, index)
      const empty = tag && text.startsWith(`</${name}>`, tag.end) ? `</${name}>`.length : 0
      const imported = names.get(name) ?? snippetOf(tag)
      if (tag && imported && (tag.selfClosing || empty > 0)) {
        return { imported, tag, before: text.slice(0, index), after: text.slice(tag.end + empty), more }
      }
      const next = lines[at + more + 1]
      if (tag || !next) break
      text += `\n${next.text}`
    }
  }
  return undefined
}

function snippetOf(tag: Tag | undefined): Imported | undefined {
  const path = tag && snippetPath(tag)
  return path === undefined ? undefined : { path, exported: 'default' }
}

function bodyOf({ path, exported }: Imported, read: ReadDocument): Line[] {
  const lines = read(path) ?? []
  if (exported === 'default') return withoutModule(lines)
  const rows = exportedMarkup(joinLines(lines), exported)?.split('\n') ?? []
  const start = lineOfRows(
    rows,
    lines.map(({ text }) => text),
  )
  return rows.map((text, i) => ({ text, at: (lines[start - 1]?.at ?? 1) + i }))
}

/** The lines of a document without its imports. */
const withoutModule = (lines: Line[]): Line[] => lines.filter(({ text }) => !/^import\s.*from\s+["'].*["'];?\s*$/.test(text))

/** Fills in `{name}` and `{props.name}` outside fences. */
function filled(body: Line[], values: Values): Line[] {
  if (Object.keys(values).length === 0) return body
  const roles = fenceRoles(body)
  return body.map((line, i) => (roles[i] === 'outside' ? { ...line, text: fill(line.text, values) } : line))
}

function fill(text: string, values: Values): string {
  if (!text.includes('{')) return text
  return text.replace(/\{\s?(?:props\.)?([A-Za-z_$][\w$]*(?:\.[\w$]+){0,5})\s?\}/g, (all, name: string) => {
    const key = name.toLowerCase()
    return Object.hasOwn(values, key) ? (values[key] ?? all) : all
  })
}

function stringsOf(names: Names, read: ReadDocument): Values {
  const strings: Values = {}
  for (const [name, { path, exported }] of names) {
    if (exported === 'default') continue
    for (const [key, value] of exportedValues(joinLines(read(path) ?? []))) {
      if (key === exported || key.startsWith(`${exported}.`)) strings[(name + key.slice(exported.length)).toLowerCase()] = value
    }
  }
  return strings
}

/** The markup of a component that a document exports as a plain function: `export const X = ({ a }) => (<p>{a}</p>)`. */
function exportedMarkup(text: string, name: string): string | undefined {
  const start = new RegExp(`^export\\s+(?:const|function)\\s+${name.replaceAll('$', '\\$')}\\b`, 'm').exec(text)
  if (!start) return undefined
  const rest = text.slice(start.index)
  const body = /(?:=>|\breturn\b)\s*(\(|<)/.exec(rest.slice(0, 2000))
  if (!body) return undefined
  const from = body.index + body[0].length
  if (body[1] === '(') return rest.slice(from, endOfParentheses(rest, from))
  const end = rest.slice(from).search(/\n\s*\n|\n(?:export|import)\s|;?\n\}/)
  return rest.slice(from - 1, end < 0 ? undefined : from + end)
}

function endOfParentheses(text: string, from: number): number {
  let depth = 1
  for (let i = from; i < text.length; i++) {
    if (text[i] === '(') depth++
    else if (text[i] === ')' && --depth === 0) return i
  }
  return text.length
}
