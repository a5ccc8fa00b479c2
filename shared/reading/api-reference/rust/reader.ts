import type { Reader } from '../../page/page.ts'
import { markdownDocs } from '../markdown-docs.ts'
import { childrenOf, linesOf, parseSource, type SourceNode } from '../parse-source.ts'
import { referencePage } from '../reference-page.ts'
import {
  type Comment,
  commentsAbove,
  definitionOf,
  documented,
  headOf,
  lineComment,
  nameOf,
  type SourceDeclaration,
} from '../source-declaration.ts'
import { moduleOf, publicPath } from './public-path.ts'

type RustFile = { comment: Comment | undefined; declarations: SourceDeclaration[] }

/** The reference of a Rust module: public items that users of the crate can reach, with their documentation. */
export const rustReader: Reader = async (text, context) => {
  const module = moduleOf(context)
  if (!module) return { sections: [] }
  const title = [module.crate, ...module.path].join('::')
  const nameIn = (item: string) => publicPath(module, item, context.readFile)
  const { comment, declarations } = await parseSource('rust', text, (root) => readFile(root, nameIn))
  const read = ({ text, line }: Comment) => markdownDocs(withRustFences(text), line)
  const isPublic = module.path.length === 0 || nameIn('') !== undefined
  const docs = comment && isPublic ? await read(comment) : []
  return referencePage({ title, language: 'rust', docs, declarations: await documented(declarations, read) })
}

const items = /^(?:function|struct|enum|union|trait|type|const|static)_item$|^macro_definition$/

function readFile(root: SourceNode, nameIn: (item: string) => string | undefined): RustFile {
  const byName = new Map<string, SourceDeclaration>()
  const implementations: SourceNode[] = []
  for (const node of childrenOf(root)) {
    if (node.type === 'impl_item') implementations.push(node)
    if (!items.test(node.type) || !isShown(node)) continue
    const name = node.type === 'macro_definition' ? `${nameIn('')?.split('::')[0] ?? ''}::${nameOf(node)}!` : nameIn(nameOf(node))
    if (name !== undefined) byName.set(nameOf(node), declarationOf(node, name))
  }
  for (const node of implementations) {
    const type = byName.get(node.childForFieldName('type')?.text.replace(/<.*$/s, '') ?? '')
    if (!type || node.childForFieldName('trait')) continue
    for (const each of childrenOf(node.childForFieldName('body')))
      if (/^(?:function|const)_item$/.test(each.type) && isShown(each))
        type.members.push(declarationOf(each, `${type.name}::${nameOf(each)}`))
  }
  const inner = childrenOf(root).filter(({ type, text }) => type === 'line_comment' && text.startsWith('//!'))
  return { comment: lineComment(inner, /^\/\/! ?/), declarations: [...byName.values()] }
}

function declarationOf(node: SourceNode, name: string): SourceDeclaration {
  const comments = commentsAbove(node).filter(({ text }) => /^\/\/\/(?!\/)/.test(text))
  const isCode = /^(?:function_item|macro_definition)$/.test(node.type)
  const signature = node.type === 'macro_definition' ? `${nameOf(node)}!` : isCode ? headOf(node) : definitionOf(node)
  const members =
    node.type === 'trait_item' ? childrenOf(node.childForFieldName('body')).flatMap((each) => traitMember(each, name)) : []
  return {
    name,
    ...linesOf(node),
    signature: node.type === 'trait_item' ? headOf(node) : signature,
    comment: lineComment(comments, /^\/\/\/ ?/),
    members,
  }
}

function traitMember(node: SourceNode, name: string): SourceDeclaration[] {
  if (!/^function_(?:signature_)?item$/.test(node.type)) return []
  const comments = commentsAbove(node).filter(({ text }) => text.startsWith('///'))
  const comment = lineComment(comments, /^\/\/\/ ?/)
  return [{ name: `${name}::${nameOf(node)}`, ...linesOf(node), signature: headOf(node), comment, members: [] }]
}

/** Public, and not hidden from documentation. A macro is public if its attribute says so. */
function isShown(node: SourceNode): boolean {
  const attributes: string[] = []
  for (
    let above = node.previousNamedSibling;
    above && /^(?:attribute_item|line_comment)$/.test(above.type);
    above = above.previousNamedSibling
  )
    if (above.type === 'attribute_item') attributes.push(above.text)
  if (attributes.some((text) => /doc\(hidden\)|cfg\(test\)/.test(text))) return false
  if (node.type === 'macro_definition') return attributes.some((text) => text.includes('macro_export'))
  return childrenOf(node).some(({ type, text }) => type === 'visibility_modifier' && text === 'pub')
}

/** A link to an item, without an address. */
const linkOfName = /\[(`[^`\n]{1,200}`)\](?![([:])/g

/** Names the language of examples, which is Rust unless they say otherwise, and drops their hidden rows. */
function withRustFences(text: string): string {
  let language: string | undefined
  return text
    .split('\n')
    .flatMap((row) => {
      const [start = '', fence] = /^\s{0,3}(`{3,}|~{3,})/.exec(row) ?? []
      const info = row.slice(start.length).trim()
      if (fence === undefined && language === undefined) return [row.replace(linkOfName, '$1')]
      if (fence === undefined) return language === 'rust' && /^\s*#(?: |$)/.test(row) ? [''] : [row]
      if (language !== undefined) {
        language = undefined
        return [row]
      }
      language = /^(?:rust|no_run|ignore|should_panic|compile_fail|edition\d+|,|\s)*$/.test(info) ? 'rust' : info
      return [`${fence}${language}`]
    })
    .join('\n')
}
