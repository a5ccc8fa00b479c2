import { posix } from 'node:path'
import type { Piece } from '../../page/build-page.ts'
import type { Reader, ReaderContext } from '../../page/page.ts'
import { markdownDocs } from '../markdown-docs.ts'
import { childrenOf, linesOf, parseSource, readSource, type SourceNode, withoutFiles } from '../parse-source.ts'
import { type Declaration, referencePage } from '../reference-page.ts'
import {
  type Comment,
  childrenOfType,
  commentsAbove,
  definitionOf,
  documented,
  headOf,
  lineComment,
  nameOf,
  type SourceDeclaration,
} from '../source-declaration.ts'

/** A busy machine takes some five seconds for it. */
const maxPackageChars = 2 * 2 ** 20

type GoDeclaration = SourceDeclaration & { isMethod: boolean }
type GoFile = { path: string; name: string; comment: Comment | undefined; declarations: GoDeclaration[] }

/** The reference of a Go package, whose other files are `parts`: exported names, with their comments. Programs export nothing. */
export const goReader: Reader = async (text, context) => {
  const files: GoFile[] = [await parseSource('go', text, (root) => readFile(root, context.path))]
  const omitted: string[] = []
  let chars = text.length
  for (const path of context.parts ?? []) {
    const part = readSource(context, path)
    if (!part || 'isTooLarge' in part || chars + part.text.length > maxPackageChars) omitted.push(path)
    else {
      chars += part.text.length
      files.push(await parseSource('go', part.text, (root) => readFile(root, path)))
    }
  }
  const name = packageName(files)
  const title = importPath(context) ?? name
  if (name === '') return withoutFiles({ title, sections: [] }, omitted)
  const own = files.filter((file) => file.name === name)
  const page = referencePage({
    title,
    language: 'go',
    docs: await packageDocs(own, context.path),
    declarations: await namesOf(own, context.path),
  })
  return withoutFiles(page, omitted)
}

/** A folder may also hold programs, such as generators, that are no part of the package. */
function packageName(files: GoFile[]): string {
  const libraries = files.filter(({ name }) => name !== 'main' && name !== '')
  const byName = Map.groupBy(libraries, ({ name }) => name)
  return [...byName].sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? ''
}

async function packageDocs(files: GoFile[], page: string): Promise<Piece[]> {
  const pieces: Piece[] = []
  for (const { path, comment } of files)
    if (comment) pieces.push(...(await readComment(comment)).map((piece) => (path === page ? piece : { ...piece, file: path })))
  return pieces
}

const readComment = ({ text, line }: Comment): Piece[] => markdownDocs(text, line)

function namesOf(files: GoFile[], page: string): Promise<Declaration[]> {
  const all = files.flatMap(({ path, declarations }) =>
    declarations.map((each) => (path === page ? each : { ...each, file: path })),
  )
  const byName = new Map<string, SourceDeclaration>()
  for (const each of all) if (!each.isMethod) add(byName, each)
  for (const each of all) if (each.isMethod) add(byName, each)
  return documented([...byName.values()], readComment)
}

/** A method belongs to its type, if the package has that. Files for several systems may declare the same name. */
function add(byName: Map<string, SourceDeclaration>, declaration: GoDeclaration): void {
  const { isMethod: _, ...own } = declaration
  const type = byName.get(own.name.slice(0, own.name.lastIndexOf('.')))
  if (type && !type.members.some(({ name }) => name === own.name)) type.members.push(own)
  else if (!type && !byName.has(own.name)) byName.set(own.name, own)
}

const goMark = /^\/\/ ?/
const directive = /^\/\/(?:go:|nolint|line |\+build)/

function commentOf(node: SourceNode): Comment | undefined {
  const comments = commentsAbove(node).filter(({ text }) => text.startsWith('//') && !directive.test(text))
  return lineComment(comments, goMark)
}

function readFile(root: SourceNode, path: string): GoFile {
  const [clause] = childrenOfType(root, 'package_clause')
  const name = childrenOf(clause)[0]?.text ?? ''
  const declarations = childrenOf(root).flatMap((node) => [...declarationsOf(node, name)])
  return { path, name, comment: clause && commentOf(clause), declarations }
}

const isExported = (name: string): boolean => /^\p{Lu}/u.test(name)

function* declarationsOf(node: SourceNode, prefix: string): Generator<GoDeclaration> {
  const declared = (name: string, signature: string, at: SourceNode = node) => ({
    name: `${prefix}.${name}`,
    ...linesOf(at),
    signature,
    comment: commentOf(at) ?? (at === node ? undefined : commentOf(node)),
    members: [],
    isMethod: node.type === 'method_declaration',
  })
  if (node.type === 'function_declaration' && isExported(nameOf(node))) yield declared(nameOf(node), headOf(node))
  else if (node.type === 'method_declaration') {
    const [receiver = ''] = node.childForFieldName('receiver')?.text.split('[', 1) ?? []
    const type = receiver.match(/[\p{L}\p{N}_]+/gu)?.at(-1) ?? ''
    if (isExported(type) && isExported(nameOf(node))) yield declared(`${type}.${nameOf(node)}`, headOf(node))
  } else if (node.type === 'type_declaration') {
    for (const spec of childrenOf(node))
      if (isExported(nameOf(spec)))
        yield declared(nameOf(spec), `type ${definitionOf(spec)}`, childrenOf(node).length === 1 ? node : spec)
  } else if (/^(?:const|var)_declaration$/.test(node.type)) yield* valuesOf(node, declared)
}

/** A group of constants is one declaration, with the name of its first exported one. */
function* valuesOf(node: SourceNode, declared: (name: string, signature: string) => GoDeclaration): Generator<GoDeclaration> {
  const specs = [
    ...childrenOfType(node, 'const_spec'),
    ...childrenOfType(node, 'var_spec'),
    ...childrenOf(childrenOfType(node, 'var_spec_list')[0]),
  ]
  const first = specs.map(nameOf).find(isExported)
  if (first !== undefined) yield declared(first, definitionOf(node))
}

/** The path that users import, by the nearest `go.mod`. */
function importPath({ path, readFile }: ReaderContext): string | undefined {
  const folder = posix.dirname(path)
  const parts = folder === '.' ? [] : folder.split('/')
  for (let depth = parts.length; depth >= 0; depth--) {
    const [, module] = /^module\s{1,9}(\S{1,300})/m.exec(readFile([...parts.slice(0, depth), 'go.mod'].join('/')) ?? '') ?? []
    if (module !== undefined) return [module, ...parts.slice(depth)].join('/')
  }
  return undefined
}
