import { posix } from 'node:path'
import type { RstState } from './rst-state.ts'

const maxIncludeDepth = 8

/** Formats with their own reader: such a file is not included, but read as a separate page. */
export const otherFormat = /\.(md|markdown|mdx|ipynb|html?|adoc|asciidoc)$/i

/**
 * Possible files for the path of an include, from the root of the repository: relative to the file that names it. With a leading `/`, relative
 * to a folder above that file, since one of them is the documentation's source, else to the root.
 */
export function candidatePaths(target: string, from: string): string[] {
  if (target === '' || target.includes('://') || target.startsWith('<')) return []
  const folder = posix.dirname(from)
  const above = folder.split('/').map((_, depth, names) => names.slice(0, depth + 1).join('/'))
  const bases = target.startsWith('/') ? [...above, '.'] : [folder]
  const paths = bases.map((base) => posix.normalize(posix.join(base, target)))
  return [...new Set(paths.filter((path) => path !== '..' && !path.startsWith('../')))]
}

/** Text of an included file; undefined if it is absent, includes itself, or exceeds the limits of a page. */
export function readIncluded(target: string, state: RstState): { path: string; text: string } | undefined {
  const from = state.files.at(-1) ?? state.context.path
  if (state.files.length > maxIncludeDepth) return undefined
  for (const path of candidatePaths(target, from)) {
    if (state.files.includes(path)) continue
    const text = state.context.readFile(path)
    if (text === undefined) continue
    state.budget -= text.length + 1000
    return state.budget < 0 ? undefined : { path, text: text.replace(/^\uFEFF/, '') }
  }
  return undefined
}

/** The rows that the options of `include` and `literalinclude` select, dedented. */
export function selectRows(text: string, options: Map<string, string>): string {
  const all = text.replace(/\r\n?/g, '\n').split('\n')
  const bounded = all.slice(numberIn(options, 'start-line') ?? 0, numberIn(options, 'end-line'))
  const object = options.get('pyobject')
  const named = object === undefined ? bounded : pythonObject(bounded, object)
  const numbers = options.get('lines')
  const chosen = cut(numbers === undefined ? named : pickRows(named, numbers), options)
  const filled = chosen.slice(chosen.findIndex(isFilled), chosen.findLastIndex(isFilled) + 1)
  const common = filled.reduce((min, row) => (isFilled(row) ? Math.min(min, indentOf(row)) : min), Number.POSITIVE_INFINITY)
  const width = options.has('dedent') ? (numberIn(options, 'dedent') ?? common) : 0
  return filled.map((row) => row.slice(Math.min(width, indentOf(row))).trimEnd()).join('\n')
}

const isFilled = (row: string): boolean => row.trim() !== ''
const indentOf = (row: string): number => row.length - row.trimStart().length

function numberIn(options: Map<string, string>, name: string): number | undefined {
  const value = Number.parseInt(options.get(name) ?? '', 10)
  return Number.isNaN(value) ? undefined : value
}

/** Applies `start-after`, `start-at`, `end-before` and `end-at`. */
function cut(rows: string[], options: Map<string, string>): string[] {
  const after = options.get('start-after')
  const first = after ?? options.get('start-at')
  const from = first === undefined ? 0 : rows.findIndex((row) => row.includes(first)) + (after === undefined ? 0 : 1)
  const rest = rows.slice(Math.max(from, 0))
  const before = options.get('end-before')
  const last = before ?? options.get('end-at')
  const to = last === undefined ? -1 : rest.findIndex((row) => row.includes(last))
  return to < 0 ? rest : rest.slice(0, before === undefined ? to + 1 : to)
}

/** `1,3-5,8-`. */
function pickRows(rows: string[], numbers: string): string[] {
  const chosen = new Set<number>()
  for (const part of numbers.split(/[,;]/).slice(0, 100)) {
    const [from = '', to = from] = part.trim().replace('..', '-').split('-')
    const last = to.trim() === '' ? rows.length : Number.parseInt(to, 10)
    for (let row = Number.parseInt(from || '1', 10); row <= Math.min(last, rows.length); row++) chosen.add(row)
  }
  return rows.filter((_, index) => chosen.has(index + 1))
}

/** The rows of `Class`, `function` or `Class.method`; all rows if there is none. */
function pythonObject(rows: string[], object: string): string[] {
  let chosen = rows
  for (const name of object.trim().split('.')) {
    const from = chosen.findIndex((row) => definedName(row) === name)
    if (from < 0) return rows
    const indent = indentOf(chosen[from] ?? '')
    const length = chosen.slice(from + 1).findIndex((row) => isFilled(row) && indentOf(row) <= indent)
    chosen = length < 0 ? chosen.slice(from) : chosen.slice(from, from + 1 + length)
  }
  return chosen
}

function definedName(row: string): string | undefined {
  const words = row.trim().split(/[\s(:]+/, 3)
  const [kind, name] = words[0] === 'async' ? words.slice(1) : words
  return kind === 'def' || kind === 'class' ? name : undefined
}
