import { posix } from 'node:path'
import type { ReaderContext } from '../../page/page.ts'
import { childrenOf, type SourceNode } from '../parse-source.ts'
import { literalText, stringOf } from './docstring.ts'

/** A statement `from source import …`. */
type Import = { source: string; names: Map<string, string> | 'all' }

export type PythonModule = {
  /** Such as `numpy._core.fromnumeric`. */
  name: string
  /** The folder of its top package; '' if it is in no package. */
  top: string
}

const maxDepth = 12
/** Modules that are searched for exports of one. */
const maxModules = 120

/** The package `kit-stubs` has the types of `kit`. */
const stubsFolder = /-stubs$/

/** The module of a file by the `__init__.py` files above it. */
export function moduleOf(path: string, readFile: ReaderContext['readFile']): PythonModule {
  const file = posix.basename(path).replace(/\.\w+$/, '')
  const parts = file === '__init__' ? [] : [file]
  let folder = posix.dirname(path)
  let top = ''
  const isPackage = () => ['py', 'pyi'].some((end) => readFile(`${folder}/__init__.${end}`) !== undefined)
  for (let depth = 0; depth < maxDepth && folder !== '.' && isPackage(); depth++) {
    parts.unshift(posix.basename(folder).replace(stubsFolder, ''))
    top = folder
    folder = posix.dirname(folder)
  }
  return { name: parts.join('.'), top }
}

/** The imports of the modules that may export names of a module, by the names of these modules. */
type Exporters = Map<string, Import[]>

/**
 * Returns the name under which users import a name of the module `of`. `isListed`: the module exports it. `isCompiled`: its code is not Python, so
 * that an import of this name from a package around it is taken for an import of it.
 */
export type PublicName = (of: string, name: string, options: { isListed: boolean; isCompiled?: boolean }) => string | undefined

/**
 * The shortest package that exports a name wins. A name that no package exports is public if no part of its path begins with an underscore and
 * the module lists it.
 */
export async function publicNames(module: PythonModule, context: ReaderContext): Promise<PublicName> {
  const exporters = await exportersOf(module, context)
  return (of, name, { isListed, isCompiled = false }) => {
    for (const exporter of [...ancestorsOf(of), ...exporters.keys()]) {
      if (exporter === of || !exporter.split('.').every(isPublic)) continue
      const alias = aliasIn({ exporters, of, isCompiled }, exporter, isListed ? name : undefined, new Map())
      if (alias !== undefined && isPublic(alias)) return `${exporter}.${alias}`
    }
    return isListed && `${of}.${name}`.split('.').every(isPublic) ? `${of}.${name}` : undefined
  }
}

type Search = { exporters: Exporters; of: string; isCompiled: boolean }

/** The name that a module gives to a name of `of`; undefined if it does not import it. `found` has the modules that were searched, also those whose search has not ended. */
function aliasIn(
  search: Search,
  exporter: string,
  name: string | undefined,
  found: Map<string, string | undefined>,
): string | undefined {
  const { exporters, of, isCompiled } = search
  if (name === undefined || exporter === of) return name
  if (found.has(exporter)) return found.get(exporter)
  found.set(exporter, undefined)
  for (const { source, names } of exporters.get(exporter) ?? []) {
    const isTaken = names !== 'all' && isCompiled && of.startsWith(`${source}.`) && names.has(name)
    const inSource = isTaken ? name : aliasIn(search, source, name, found)
    const alias = inSource === undefined || names === 'all' ? inSource : names.get(inSource)
    if (alias === undefined) continue
    found.set(exporter, alias)
    return alias
  }
  return undefined
}

/** Loads the packages around a module, the public modules that they import, and the modules whose names these export. */
async function exportersOf(module: PythonModule, context: ReaderContext): Promise<Exporters> {
  const exporters: Exporters = new Map()
  if (module.top === '') return exporters
  const [top = ''] = module.name.split('.')
  const waiting = [...ancestorsOf(module.name)]
  for (let name = waiting.shift(); name !== undefined && exporters.size < maxModules; name = waiting.shift()) {
    if (exporters.has(name) || name === module.name || (name !== top && !name.startsWith(`${top}.`))) continue
    const imports = await importsIn(name, module, context)
    if (!imports) continue
    exporters.set(name, imports)
    for (const { source, names } of imports) {
      if (source !== name) waiting.push(source)
      else if (names !== 'all') waiting.push(...[...names.keys()].filter(isPublic).map((child) => `${name}.${child}`))
    }
  }
  return exporters
}

async function importsIn(
  name: string,
  { top }: PythonModule,
  { readFile, readOnce }: ReaderContext,
): Promise<Import[] | undefined> {
  const path = posix.join(top, ...name.split('.').slice(1))
  for (const [file, folder] of [
    [`${path}/__init__.py`, name],
    [`${path}.py`, parentOf(name)],
    [`${path}/__init__.pyi`, name],
    [`${path}.pyi`, parentOf(name)],
  ] as const) {
    const read = async (text: string) => [...importsOf(text, folder)]
    const text = readOnce ? undefined : readFile(file)
    const imports = readOnce ? await readOnce(file, 'imports', read) : text === undefined ? undefined : await read(text)
    if (imports) return imports
  }
  return undefined
}

const parentOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('.')))

const isPublic = (name: string): boolean => !name.startsWith('_')

/** `a`, `a.b` of `a.b.c`. */
function ancestorsOf(module: string): string[] {
  const parts = module.split('.')
  return parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('.'))
}

/** Statements at the top and in `if`, `else` and `try`. */
export function* topStatements(node: SourceNode, depth = 0): Generator<SourceNode> {
  for (const child of childrenOf(node)) {
    if (/^(?:if|try|with)_statement$|^(?:else|elif|except|finally)_clause$|^block$|^ERROR$/.test(child.type)) {
      if (depth < 6) yield* topStatements(child, depth + 1)
    } else yield child
  }
}

/** These are no statements of examples, which begin with a prompt. */
const importFrom = /^[ \t]{0,8}from[ \t]{1,4}(\.{0,8}[\w.]{0,200})[ \t]{1,4}import[ \t]{1,4}/gm
const importModule = /^[ \t]{0,12}import[ \t]{1,4}([\w.]{1,200})/gm
const maxStatementChars = 100_000

/** The imports of a module, also those inside of functions: packages load modules when they are first used. `folder` is the package of its file. */
function* importsOf(text: string, folder: string): Generator<Import> {
  for (const { 0: start, 1: from = '', index } of text.matchAll(importFrom)) {
    const source = absolute(from, folder)
    const rest = text.slice(index + start.length, index + start.length + maxStatementChars)
    const isGroup = rest.startsWith('(')
    const end = rest.indexOf(isGroup ? ')' : '\n')
    const names = (end < 0 ? rest : rest.slice(isGroup ? 1 : 0, end)).replace(/#.*$/gm, '').split(',')
    if (names[0]?.trim() === '*') yield { source, names: 'all' }
    else yield { source, names: new Map(names.flatMap(nameAndAlias)) }
  }
  for (const [, module = ''] of text.matchAll(importModule)) {
    const child = module.slice(folder.length + 1)
    if (module.startsWith(`${folder}.`) && !child.includes('.')) yield { source: folder, names: new Map([[child, child]]) }
  }
}

function nameAndAlias(text: string): [string, string][] {
  const [name = '', as, alias] = text.trim().split(/\s+/)
  return /^\w+$/.test(name) ? [[name, as === 'as' && alias ? alias : name]] : []
}

/** The absolute name of `.x` in a module of a package. */
function absolute(source: string, name: string): string {
  const rest = source.replace(/^\.+/, '')
  const dots = source.length - rest.length
  if (dots === 0) return rest
  const parts = name.split('.')
  return [...parts.slice(0, parts.length - (dots - 1)), ...(rest === '' ? [] : [rest])].join('.')
}

/** The names in `__all__`, if it is assigned as a list of strings; undefined without it. */
export function listedNames(root: SourceNode): Set<string> | undefined {
  let names: Set<string> | undefined
  for (const node of topStatements(root)) {
    const [expression] = node.type === 'expression_statement' ? childrenOf(node) : []
    if (expression?.type !== 'assignment' && expression?.type !== 'augmented_assignment') continue
    if (expression.childForFieldName('left')?.text !== '__all__') continue
    names ??= new Set()
    for (const each of expression.childForFieldName('right')?.descendantsOfType('string') ?? []) {
      const literal = stringOf(each)
      if (literal) names.add(literalText(literal))
    }
  }
  return names
}
