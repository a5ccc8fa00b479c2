import { posix } from 'node:path'
import type { ReaderContext } from '../page/page.ts'

/** The settings of Sphinx that change the text of pages. */
export type Conf = { substitutions: Map<string, string>; language: string; prolog: string }

const maxChars = 200_000
const maxImports = 5
const wanted = new Set(['release', 'version', 'highlight_language', 'rst_prolog', 'rst_epilog', 'project'])
/** An assignment at the start of a line, perhaps to several names. */
const assignment = /^((?:[a-z_]{1,40}[ \t]{0,5}=[ \t]{0,5}){1,4})(?=[rRuUbBfF]{0,2}["'(])/gm
const starImport = /^from\s{1,5}(\.{0,3}[\w.]{1,100})\s{1,5}import\s{1,5}\*/gm
const noLanguage = new Set(['default', 'none', 'text'])

/** Reads the nearest `conf.py` above a page as text: it is never run. A value that is no literal string is unknown. */
export function readConf(context: ReaderContext): Conf {
  const values = new Map<string, string>()
  const path = confPaths(context.path).find((each) => addValues(each, context, values, 0))
  const release = path === undefined ? undefined : (values.get('release') ?? values.get('version'))
  const substitutions = new Map<string, string>()
  if (release !== undefined) {
    substitutions.set('release', release)
    substitutions.set('version', values.get('version') ?? /^\d+(?:\.\d+)?/.exec(release)?.[0] ?? release)
  }
  const project = values.get('project')
  if (project !== undefined) substitutions.set('project', project)
  const language = (values.get('highlight_language') ?? '').toLowerCase()
  return {
    substitutions,
    language: noLanguage.has(language) ? '' : language.replace(/^python3$/, 'python'),
    prolog: `${values.get('rst_prolog') ?? ''}\n\n${values.get('rst_epilog') ?? ''}`,
  }
}

/** `conf.py` in the folder of the page and above, and in a folder of settings next to it. */
function confPaths(page: string): string[] {
  const folders = posix.dirname(page).split('/')
  const above = folders.map((_, i) => folders.slice(0, folders.length - i).join('/'))
  return [...new Set([...above, '.'])].flatMap((folder) => [posix.join(folder, 'conf.py'), posix.join(folder, 'config/conf.py')])
}

/** Returns false if there is no such file. Values of the importing file win. */
function addValues(path: string, context: ReaderContext, values: Map<string, string>, depth: number): boolean {
  const text = context.readFile(path)?.slice(0, maxChars)
  if (text === undefined) return false
  for (const { 0: all, 1: names = '', index } of text.matchAll(assignment)) {
    const value = literalAt(text, index + all.length)
    if (value === undefined) continue
    for (const name of names.split('=').map((each) => each.trim())) if (wanted.has(name)) values.set(name, value)
  }
  if (depth > 0) return true
  const own = new Map(values)
  for (const [, module = ''] of [...text.matchAll(starImport)].slice(0, maxImports)) {
    const file = `${module.replace(/^\.+/, '').replaceAll('.', '/')}.py`
    const folders = posix.dirname(path).split('/')
    const above = folders.map((_, i) => folders.slice(0, folders.length - i).join('/'))
    ;[...above, '.'].find((folder) => addValues(posix.join(folder, file), context, values, depth + 1))
  }
  for (const [name, value] of own) values.set(name, value)
  return true
}

/** The string at an index: one literal, or several in parentheses. Undefined for calls, formats and other expressions. */
function literalAt(text: string, from: number): string | undefined {
  const isGroup = text[from] === '('
  let at = isGroup ? from + 1 : from
  let value = ''
  for (;;) {
    if (isGroup) at += /^\s{0,200}/.exec(text.slice(at, at + 200))?.[0].length ?? 0
    const literal = stringAt(text, at)
    if (literal === undefined) break
    value += literal.value
    at = literal.end
    if (!isGroup) break
  }
  if (at === from || (isGroup && text[at] !== ')')) return undefined
  const rest = text.slice(isGroup ? at + 1 : at, at + 20)
  return /^[ \t]*(?:#|\r?\n|$)/.test(rest) ? value : undefined
}

function stringAt(text: string, from: number): { value: string; end: number } | undefined {
  const [all, prefix = '', quote = ''] = /^([rRuUbB]{0,2})("""|'''|"|')/.exec(text.slice(from, from + 8)) ?? []
  if (all === undefined) return undefined
  const start = from + all.length
  let end = start
  while (end < text.length && !text.startsWith(quote, end)) {
    if (quote.length === 1 && text[end] === '\n') return undefined
    end += text[end] === '\\' ? 2 : 1
  }
  if (end >= text.length) return undefined
  const raw = text.slice(start, end)
  const value = /r/i.test(prefix) ? raw : raw.replace(/\\(\n|.)/g, (_, char: string) => escapes[char] ?? `\\${char}`)
  return { value, end: end + quote.length }
}

const escapes: Record<string, string> = { n: '\n', t: '\t', '\\': '\\', "'": "'", '"': '"', '\n': '' }
