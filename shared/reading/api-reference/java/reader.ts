import type { Reader } from '../../page/page.ts'
import { childrenOf, linesOf, parseSource, type SourceNode } from '../parse-source.ts'
import { referencePage } from '../reference-page.ts'
import { childrenOfType, documented, headOf, nameOf, type SourceDeclaration, starComment } from '../source-declaration.ts'
import { javadocPieces } from './javadoc.ts'

const types = /^(?:class|interface|enum|record|annotation_type)_declaration$/
const methods = /^(?:method|constructor|annotation_type_element)_declaration$/
const maxDepth = 5

/** The reference of a Java file: its public types with their public and protected members. */
export const javaReader: Reader = async (text) => {
  const { title, declarations } = await parseSource('java', text, readFile)
  return referencePage({ title, language: 'java', docs: [], declarations: await documented(declarations, javadocPieces) })
}

function readFile(root: SourceNode): { title: string; declarations: SourceDeclaration[] } {
  const [declaration] = childrenOfType(root, 'package_declaration')
  const title = childrenOf(declaration).at(-1)?.text ?? ''
  const shown = childrenOf(root).filter((node) => types.test(node.type) && /\bpublic\b/.test(modifiersOf(node)))
  return { title, declarations: shown.flatMap((node) => typeOf(node, '', 0)) }
}

const modifiersOf = (node: SourceNode): string =>
  childrenOfType(node, 'modifiers')[0]?.text.replace(/@\w+(?:\([^()]*\))?/g, '') ?? ''

/** A type, and the types in it. */
function typeOf(node: SourceNode, prefix: string, depth: number): SourceDeclaration[] {
  const name = `${prefix}${nameOf(node)}`
  const isInterface = /^(?:interface|annotation_type)_declaration$/.test(node.type)
  const body = childrenOf(node.childForFieldName('body')).flatMap((each) =>
    each.type === 'enum_body_declarations' ? childrenOf(each) : [each],
  )
  const shown = body.filter((each) =>
    isInterface ? !/\bprivate\b/.test(modifiersOf(each)) : /\b(?:public|protected)\b/.test(modifiersOf(each)),
  )
  const members = shown.filter(({ type }) => methods.test(type)).map((each) => declarationOf(each, `${name}.${nameOf(each)}`))
  const constants = body.filter(({ type }) => type === 'enum_constant').map(nameOf)
  const fields = shown.filter(({ type }) => /^(?:field|constant)_declaration$/.test(type)).map(withoutNotes)
  const own = declarationOf(node, name)
  const inside = [...(constants.length > 0 ? [constants.join(', ')] : []), ...fields].map((row) => `\n  ${row}`).join('')
  const signature = inside === '' ? own.signature : `${own.signature} {${inside}\n}`
  const inner =
    depth < maxDepth ? shown.filter(({ type }) => types.test(type)).flatMap((each) => typeOf(each, `${name}.`, depth + 1)) : []
  return [{ ...own, signature, members }, ...inner]
}

const maxFieldChars = 300

/** On one row, without the value of a constant that is long. */
const withoutNotes = (node: SourceNode): string => {
  const text = plain(node.text)
  return text.length <= maxFieldChars ? text : `${text.slice(0, text.indexOf('=')).trimEnd()};`
}

const plain = (text: string): string =>
  text.replace(/@(?:Override|SuppressWarnings|Nullable)(?:\([^()]*\))?\s*/g, '').replace(/\s+/g, ' ')

function declarationOf(node: SourceNode, name: string): SourceDeclaration {
  const above = node.previousNamedSibling
  const comment = above?.type === 'block_comment' ? starComment(above) : undefined
  return { name, ...linesOf(node), signature: plain(headOf(node)), comment, members: [] }
}
