import type { Reader } from '../../page/page.ts'
import { childrenOf, linesOf, maxSourceBytes, parseSource, readSource, type SourceNode, withoutFiles } from '../parse-source.ts'
import { type Declaration, type Module, referencePage } from '../reference-page.ts'
import { docstringOf, docstringPieces, literalText, stringOf } from './docstring.ts'
import { listedNames, moduleOf, type PublicName, publicNames, topStatements } from './public-names.ts'
import { withStub } from './with-stub.ts'

/** The reference of a Python module: its exported functions and classes, with their docstrings. A stub is part of the page of its module. */
export const pythonReader: Reader = async (text, context) => {
  const { path, readFile } = context
  if (path.endsWith('.pyi') && (readFile(path.slice(0, -1))?.length ?? Number.POSITIVE_INFINITY) <= maxSourceBytes)
    return { sections: [] }
  const module = moduleOf(path, readFile)
  const publicName = await publicNames(module, context)
  const stubPath = `${path}i`
  const source = path.endsWith('.py') ? readSource(context, stubPath) : undefined
  const stub =
    source && 'text' in source
      ? await parseSource('python', source.text, (root) => ({
          listed: listedNames(root),
          ...readModule(root, module.name, publicName),
        }))
      : undefined
  const code = await parseSource('python', text, (root) => readModule(root, module.name, publicName, stub?.listed))
  if (!stub) return withoutFiles(referencePage(code), source ? [stubPath] : [])
  const declarations = withStub(code.declarations, stub.declarations, stubPath)
  return referencePage({ ...code, title: titleOf(declarations, module.name), declarations })
}

function readModule(root: SourceNode, name: string, publicName: PublicName, inStub?: Set<string>): Module {
  const listed = inStub ?? listedNames(root)
  const isListed = (each: string) => (listed ? listed.has(each) : !each.startsWith('_'))
  const nameIn = (each: string) => publicName(name, each, { isListed: isListed(each) })
  const declarations: Declaration[] = []
  for (const node of topStatements(root)) {
    const definition = definitionOf(node)
    const own = definition?.childForFieldName('name')?.text
    const full = own === undefined ? undefined : nameIn(own)
    if (definition && full !== undefined) addDeclaration(declarations, declarationOf(definition, full))
    else if (node.type === 'expression_statement') addCompiled(declarations, childrenOf(node)[0], publicName)
  }
  const isPublic = name.split('.').every((part) => !part.startsWith('_'))
  const docs = isPublic ? docstringPieces(docstringOf(root)) : []
  return { title: titleOf(declarations, name), language: 'python', docs, declarations }
}

/** The module that users import most of the names from. */
function titleOf(declarations: Declaration[], name: string): string {
  const counts = new Map<string, number>()
  for (const each of declarations) {
    const module = each.name.slice(0, Math.max(0, each.name.lastIndexOf('.')))
    counts.set(module, (counts.get(module) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  return most?.[0] || name
}

/** A function or class, without its decorators. */
function definitionOf(node: SourceNode): SourceNode | undefined {
  const definition = node.type === 'decorated_definition' ? node.childForFieldName('definition') : node
  return definition && /^(?:function|class)_definition$/.test(definition.type) ? definition : undefined
}

/** The signatures of overloads belong to one declaration. */
function addDeclaration(declarations: Declaration[], declaration: Declaration): void {
  const before = declarations.find(({ name }) => name === declaration.name)
  if (!before) declarations.push(declaration)
  else {
    before.signature = `${before.signature}\n${declaration.signature}`
    before.endLine = declaration.endLine
    if (before.docs.length === 0) before.docs = declaration.docs
  }
}

function declarationOf(node: SourceNode, name: string): Declaration {
  const body = node.childForFieldName('body')
  const docs = docstringPieces(docstringOf(body))
  if (node.type === 'function_definition')
    return { name, ...linesOf(node), signature: functionSignature(node), docs, members: [] }
  return classOf(node, name)
}

function classOf(node: SourceNode, name: string): Declaration {
  const body = node.childForFieldName('body')
  const members: Declaration[] = []
  const head = [`class ${node.childForFieldName('name')?.text}${node.childForFieldName('superclasses')?.text ?? ''}:`]
  let docs = docstringPieces(docstringOf(body))
  for (const child of childrenOf(body)) {
    const definition = definitionOf(child)
    const own = definition?.childForFieldName('name')?.text ?? ''
    if (definition?.type === 'function_definition' && own === '__init__') {
      head.push(`    ${functionSignature(definition)}`)
      docs = [...docs, ...docstringPieces(docstringOf(definition.childForFieldName('body')))]
    } else if (definition && !own.startsWith('_') && !isSetter(child))
      addDeclaration(members, declarationOf(definition, `${name}.${own}`))
    else if (isField(child)) head.push(`    ${oneLine(child.text)}`)
  }
  return { name, ...linesOf(node), signature: head.join('\n'), docs, members }
}

const isSetter = (node: SourceNode): boolean =>
  childrenOf(node).some(({ type, text }) => type === 'decorator' && /\.(?:setter|deleter)$/.test(text))

/** `name: type`, perhaps with a value. */
function isField(node: SourceNode): boolean {
  const [assignment] = node.type === 'expression_statement' ? childrenOf(node) : []
  if (assignment?.type !== 'assignment' || !assignment.childForFieldName('type')) return false
  return !assignment.childForFieldName('left')?.text.startsWith('_')
}

const maxLineChars = 200
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, maxLineChars)

function functionSignature(node: SourceNode): string {
  const parameters = node.childForFieldName('parameters')?.text ?? '()'
  const returned = node.childForFieldName('return_type')?.text
  const start = node.children[0]?.type === 'async' ? 'async def' : 'def'
  const name = node.childForFieldName('name')?.text
  return `${start} ${name}${plainParameters(parameters)}${returned === undefined ? '' : ` -> ${returned}`}`
}

const rowsOf = (text: string): string[] =>
  text
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '')

/** Rows that follow keep no indentation of the file. */
const plainParameters = (text: string): string =>
  text.length <= maxLineChars ? rowsOf(text).join(' ').replace('( ', '(') : text.replace(/\n\s*/g, '\n    ')

/** Adds the documentation of a compiled name, `add_newdoc(module, name, docs)`, as numpy calls it. `docs` may be that of a member, or a list of these. */
function addCompiled(declarations: Declaration[], call: SourceNode | undefined, publicName: PublicName): void {
  if (call?.type !== 'call' || !/(?:^|\.)add_newdoc$/.test(call.childForFieldName('function')?.text ?? '')) return
  const [module, name, docs] = argumentsOf(call.childForFieldName('arguments'))
  if (module?.type !== 'string' || name?.type !== 'string' || !docs) return
  const isListed = !literalText(name).startsWith('_')
  const full = publicName(literalText(module), literalText(name), { isListed, isCompiled: true })
  if (full === undefined) return
  const before = declarations.find((each) => each.name === full)
  const declaration = before ?? documented(full, call, undefined)
  if (!before) declarations.push(declaration)
  for (const each of docs.type === 'list' ? childrenOf(docs) : [docs]) {
    const [member, text] = each.type === 'tuple' ? argumentsOf(each) : []
    if (each.type !== 'tuple')
      Object.assign(declaration, { ...documented(full, call, stringOf(each)), members: declaration.members })
    else if (member?.type === 'string' && !literalText(member).startsWith('_'))
      declaration.members.push(documented(`${full}.${literalText(member)}`, each, stringOf(text)))
  }
}

const argumentsOf = (node: SourceNode | null): SourceNode[] => childrenOf(node).filter(({ type }) => type !== 'comment')

const maxSignatureChars = 500

/** The first line of such documentation is often the signature: `name(…)` or `name(…) -> type`. */
function isSignature(line: string): boolean {
  if (line.length > maxSignatureChars || !/^[\w.]{1,80}\(/.test(line)) return false
  const end = line.slice(line.lastIndexOf(')') + 1).trimStart()
  return line.includes(')') && (end === '' || end.startsWith('->'))
}

function documented(name: string, node: SourceNode, docs: SourceNode | undefined): Declaration {
  const [first = ''] = docs ? literalText(docs).trim().split('\n', 1) : []
  const signature = isSignature(first.trim()) ? first.trim() : name
  return { name, ...linesOf(node), signature, docs: docstringPieces(docs), members: [] }
}
