import { posix } from 'node:path'
import type { Reader, ReaderContext } from '../../page/page.ts'
import { parseSource, readSource, type SourceLanguage, withoutFiles } from '../parse-source.ts'
import { referencePage } from '../reference-page.ts'
import { documented, type SourceDeclaration } from '../source-declaration.ts'
import { type FileExports, fileExports } from './file-exports.ts'
import { importName } from './import-name.ts'
import { isInternal, tsdocPieces } from './tsdoc.ts'

/** Files that one entry re-exports. */
const maxFiles = 500

/** The reference of an entry of a package: what it exports, also from other files. A file that is no entry is an empty page. */
export const typescriptReader: Reader = async (text, context) => {
  const title = importName(context)
  if (title === undefined) return { sections: [] }
  const files = new Map([[context.path, await parseSource(languageOf(context.path), text, fileExports)]])
  const omitted = new Set<string>()
  const declarations = await exportsOf(context, files, omitted)
  const shown = declarations.filter(({ comment }) => !isInternal(comment))
  const page = referencePage({ title, language: 'typescript', docs: [], declarations: await documented(shown, tsdocPieces) })
  return withoutFiles(page, [...omitted])
}

/** JSX is no TypeScript: `<T>x` is a type assertion in the one and a tag in the other. */
const languageOf = (path: string): SourceLanguage => (/x$/.test(path) ? 'tsx' : 'typescript')

type Wanted = { path: string; names: 'all' | Map<string, string>; prefix: string }

/** Adds the files that are not read to `omitted`. */
async function exportsOf(
  context: ReaderContext,
  files: Map<string, FileExports>,
  omitted: Set<string>,
): Promise<SourceDeclaration[]> {
  const { path } = context
  const found = new Map<string, SourceDeclaration>()
  const waiting: Wanted[] = [{ path, names: 'all', prefix: '' }]
  const visited = new Set<string>()
  /** Declarations by their place: one that is exported twice has its first name. */
  const names = new Map<string, string>()
  const load = async (from: string, imported: string): Promise<string | undefined> => {
    for (const candidate of filesOf(from, imported)) {
      if (files.has(candidate)) return candidate
      const source = readSource(context, candidate)
      if (!source) continue
      if ('isTooLarge' in source || files.size >= maxFiles) {
        omitted.add(candidate)
        return undefined
      }
      files.set(candidate, await parseSource(languageOf(candidate), source.text, fileExports))
      return candidate
    }
    return undefined
  }
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { names: wanted, prefix } = next
    const key = JSON.stringify([next.path, prefix, wanted === 'all' ? wanted : [...wanted]])
    const file = files.get(next.path)
    if (!file || visited.has(key)) continue
    visited.add(key)
    const aliasOf = (name: string) => (wanted === 'all' ? (name === 'default' ? undefined : name) : wanted.get(name))
    for (const { name, declaration } of file.declarations) {
      const alias = aliasOf(name)
      const full = alias === undefined ? '' : prefix + alias
      const place = `${next.path}:${declaration.line}:${declaration.name}`
      if (full === '' || (names.get(place) ?? full) !== full) continue
      names.set(place, full)
      const own = renamed(declaration, full, next.path === path ? undefined : next.path)
      const before = found.get(full)
      if (!before) found.set(full, own)
      else if (before.file === own.file) addOverload(before, own)
    }
    for (const { source, imported, exported } of file.reexports) {
      const target = await load(next.path, source)
      if (target === undefined) continue
      if (imported === '*' && exported === undefined) waiting.push({ path: target, names: wanted, prefix })
      else if (imported === '*') {
        const alias = aliasOf(exported ?? '')
        if (alias !== undefined && prefix === '') waiting.push({ path: target, names: 'all', prefix: `${alias}.` })
      } else {
        const alias = aliasOf(exported ?? imported)
        if (alias !== undefined) waiting.push({ path: target, names: new Map([[imported, alias]]), prefix })
      }
    }
  }
  return [...found.values()]
}

function addOverload(before: SourceDeclaration, { signature, comment, members, endLine }: SourceDeclaration): void {
  before.endLine = Math.max(before.endLine, endLine)
  before.signature = `${before.signature}\n${signature}`
  before.comment ??= comment
  before.members.push(...members)
}

const renamed = ({ members, ...declaration }: SourceDeclaration, name: string, file: string | undefined): SourceDeclaration => ({
  ...declaration,
  ...(file !== undefined && { file }),
  name,
  members: members.map((member) => renamed(member, `${name}.${member.name}`, file)),
})

/** The files that a relative import may mean. */
function filesOf(from: string, source: string): string[] {
  if (!source.startsWith('.')) return []
  const path = posix.join(posix.dirname(from), source)
  const stem = path.replace(/\.[cm]?[jt]sx?$/, '')
  return [...new Set([path, stem])].flatMap((each) =>
    /\.[cm]?tsx?$/.test(each)
      ? [each]
      : ['.ts', '.tsx', '.mts', '.d.ts', '.d.mts', '/index.ts', '/index.tsx', '/index.d.ts'].map((end) => each + end),
  )
}
