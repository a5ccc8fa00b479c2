import { posix } from 'node:path'
import type { Reader, ReaderContext } from '../../page/page.ts'
import { markdownDocs } from '../markdown-docs.ts'
import { childrenOf, lineOf, parseSource, type SourceNode } from '../parse-source.ts'
import { referencePage } from '../reference-page.ts'
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

type GoFile = { name: string; comment: Comment | undefined; declarations: SourceDeclaration[] }

/** The reference of a file of a Go package: exported names, with their comments. Programs export nothing. */
export const goReader: Reader = async (text, context) => {
  const { name, comment, declarations } = await parseSource('go', text, readFile)
  const title = importPath(context) ?? name
  if (name === 'main' || name === '') return { title, sections: [] }
  const read = ({ text, line }: Comment) => markdownDocs(text, line)
  const docs = comment ? await read(comment) : []
  return referencePage({ title, language: 'go', docs, declarations: await documented(declarations, read) })
}

const goMark = /^\/\/ ?/
const directive = /^\/\/(?:go:|nolint|line |\+build)/

function commentOf(node: SourceNode): Comment | undefined {
  const comments = commentsAbove(node).filter(({ text }) => text.startsWith('//') && !directive.test(text))
  return lineComment(comments, goMark)
}

function readFile(root: SourceNode): GoFile {
  const [clause] = childrenOfType(root, 'package_clause')
  const name = childrenOf(clause)[0]?.text ?? ''
  const byName = new Map<string, SourceDeclaration>()
  for (const node of childrenOf(root)) for (const declaration of declarationsOf(node, name)) add(byName, declaration)
  return { name, comment: clause && commentOf(clause), declarations: [...byName.values()] }
}

/** A method belongs to its type, if the file has that. */
function add(byName: Map<string, SourceDeclaration>, declaration: SourceDeclaration): void {
  const type = byName.get(declaration.name.slice(0, declaration.name.lastIndexOf('.')))
  if (type) type.members.push(declaration)
  else byName.set(declaration.name, declaration)
}

const isExported = (name: string): boolean => /^\p{Lu}/u.test(name)

function* declarationsOf(node: SourceNode, prefix: string): Generator<SourceDeclaration> {
  const declared = (name: string, signature: string, at: SourceNode = node) => ({
    name: `${prefix}.${name}`,
    line: lineOf(at),
    signature,
    comment: commentOf(at) ?? (at === node ? undefined : commentOf(node)),
    members: [],
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
function* valuesOf(
  node: SourceNode,
  declared: (name: string, signature: string) => SourceDeclaration,
): Generator<SourceDeclaration> {
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
