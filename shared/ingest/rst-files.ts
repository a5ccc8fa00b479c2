import { posix } from 'node:path'
import type { RstState } from './rst-state.ts'

const deepestInclude = 8
const docsFolder = /^(.*?\b(?:docs?|documentation|source|src\/docs)(?:\/source)?)\//i

/**
 * Where a path of an include may lie, from the repository's root: beside the file that names it, or, with `/` in front,
 * under the folder of the documentation's source, else the root.
 */
export function candidatePaths(target: string, from: string): string[] {
  if (target === '' || target.includes('://') || target.startsWith('<')) return []
  const folder = posix.dirname(from)
  const bases = target.startsWith('/') ? [...sourceFolders(folder), '.'] : [folder]
  const paths = bases.map((base) => posix.normalize(posix.join(base, target)))
  return [...new Set(paths.filter((path) => path !== '..' && !path.startsWith('../')))]
}

/** Text of an included file; undefined where it is absent, includes itself, or more is included than a page may hold. */
export function readIncluded(target: string, state: RstState): { path: string; text: string } | undefined {
  const from = state.files.at(-1) ?? state.context.path
  if (state.files.length > deepestInclude) return undefined
  for (const path of candidatePaths(target, from)) {
    if (state.files.includes(path)) continue
    const text = state.context.readFile(path)
    if (text === undefined) continue
    state.budget -= text.length + 1000
    return state.budget < 0 ? undefined : { path, text: text.replace(/^\uFEFF/, '') }
  }
  return undefined
}

/** The rows that the options of `include` and `literalinclude` choose, dedented as asked. */
export function selectRows(rows: string[], options: Map<string, string>): string {
  let chosen = rows
  const start = Number.parseInt(options.get('start-line') ?? '', 10)
  const end = Number.parseInt(options.get('end-line') ?? '', 10)
  chosen = chosen.slice(Number.isNaN(start) ? 0 : start, Number.isNaN(end) ? undefined : end)
  const numbers = options.get('lines')
  if (numbers !== undefined) chosen = pickRows(chosen, numbers)
  const object = options.get('pyobject')
  if (object !== undefined) chosen = pythonObject(chosen, object)
  chosen = cut(chosen, options)
  const width = options.has('dedent') ? Number.parseInt(options.get('dedent') ?? '', 10) : 0
  const indents = chosen.filter((row) => row.trim() !== '').map((row) => row.length - row.trimStart().length)
  const dedent = Number.isNaN(width) ? indents.reduce((least, indent) => Math.min(least, indent), 1000) : width
  const filled = (row: string) => row.trim() !== ''
  const edges = chosen.slice(chosen.findIndex(filled), chosen.findLastIndex(filled) + 1)
  return edges.map((row) => row.slice(Math.min(dedent, row.length - row.trimStart().length)).trimEnd()).join('\n')
}

/** `start-after`, `start-at`, `end-before`, `end-at`: the rows that hold the text bound the choice. */
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
export function pickRows(rows: string[], numbers: string): string[] {
  const chosen = new Set<number>()
  for (const part of numbers.split(/[,;]/).slice(0, 100)) {
    const [from = '', to = from] = part.trim().replace('..', '-').split('-')
    const last = to.trim() === '' ? rows.length : Number.parseInt(to, 10)
    for (let row = Number.parseInt(from || '1', 10); row <= Math.min(last, rows.length); row++) chosen.add(row)
  }
  return rows.filter((_, index) => chosen.has(index + 1))
}

/** The rows of `Class`, `function` or `Class.method`; all where there is none of the name. */
function pythonObject(rows: string[], object: string): string[] {
  let chosen = rows
  for (const name of object.trim().split('.')) {
    const isHead = (row: string) =>
      /^\s*(?:async\s+def|def|class)\s/.test(row) &&
      row
        .trim()
        .split(/[\s(:]+/)
        .includes(name)
    const from = chosen.findIndex(isHead)
    if (from < 0) return rows
    const head = chosen[from] ?? ''
    const indent = head.length - head.trimStart().length
    const length = chosen.slice(from + 1).findIndex((row) => row.trim() !== '' && row.length - row.trimStart().length <= indent)
    chosen = length < 0 ? chosen.slice(from) : chosen.slice(from, from + 1 + length)
  }
  return chosen
}

function sourceFolders(folder: string): string[] {
  const parts = folder.split('/')
  const above = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
  const docs = docsFolder.exec(`${folder}/`)?.[1]
  return docs === undefined ? above : [docs, ...above]
}
