import { withoutEnding } from '../../../text/without-ending.ts'
import { childrenOf, linesOf, type SourceNode } from '../parse-source.ts'
import {
  childrenOfType,
  commentsAbove,
  definitionOf,
  headOf,
  nameOf,
  type SourceDeclaration,
  starComment,
} from '../source-declaration.ts'

/** `imported` is `*` for all names; `exported` is absent if they keep their names. */
type Reexport = { source: string; imported: string; exported: string | undefined }

/** The own exports of a module, and those that it takes from others. */
export type FileExports = { declarations: { name: string; declaration: SourceDeclaration }[]; reexports: Reexport[] }

const maxValueChars = 300

/** The exports of a module of TypeScript. */
export function fileExports(root: SourceNode): FileExports {
  const local = new Map<string, SourceDeclaration[]>()
  const imports = new Map<string, Reexport>()
  const exported: { name: string; as: string }[] = []
  const reexports: Reexport[] = []
  for (const node of childrenOf(root)) {
    if (node.type === 'import_statement') for (const each of importsOf(node)) imports.set(each.exported ?? '', each)
    const declaration = node.type === 'export_statement' ? node.childForFieldName('declaration') : node
    const own = declaration ? declarationsOf(declaration, node) : []
    for (const each of own) local.set(each.name, [...(local.get(each.name) ?? []), each])
    if (node.type !== 'export_statement') continue
    const isDefault = node.children.some((child) => child?.type === 'default')
    for (const { name } of own) exported.push({ name, as: isDefault ? 'default' : name })
    const value = node.childForFieldName('value')
    if (isDefault && value?.type === 'identifier') exported.push({ name: value.text, as: 'default' })
    const source = sourceOf(node)
    for (const [name, as] of specifiersOf(node)) {
      if (source === undefined) exported.push({ name, as })
      else reexports.push({ source, imported: name, exported: as })
    }
    const [namespace] = childrenOfType(node, 'namespace_export')
    if (source !== undefined && namespace) reexports.push({ source, imported: '*', exported: childrenOf(namespace)[0]?.text })
    else if (source !== undefined && node.children.some((child) => child?.type === '*'))
      reexports.push({ source, imported: '*', exported: undefined })
  }
  const declarations: FileExports['declarations'] = []
  const added = new Set<string>()
  for (const { name, as } of exported) {
    const found = local.get(name)
    const imported = imports.get(name)
    if (!found && imported) reexports.push({ ...imported, exported: as })
    // A name with several declarations is in the list several times.
    if (found && !added.has(as)) declarations.push(...found.map((declaration) => ({ name: as, declaration })))
    added.add(as)
  }
  return { declarations, reexports }
}

const sourceOf = (node: SourceNode): string | undefined => node.childForFieldName('source')?.text.slice(1, -1)

function specifiersOf(node: SourceNode): [string, string][] {
  return childrenOfType(childrenOfType(node, 'export_clause')[0], 'export_specifier').map((each) => {
    const name = nameOf(each)
    return [name, each.childForFieldName('alias')?.text ?? name]
  })
}

/** The imported names, each with its local name as `exported`. */
function importsOf(node: SourceNode): Reexport[] {
  const source = sourceOf(node)
  if (source === undefined) return []
  return childrenOf(childrenOfType(node, 'import_clause')[0]).flatMap((each) => {
    if (each.type === 'identifier') return [{ source, imported: 'default', exported: each.text }]
    if (each.type === 'namespace_import') return [{ source, imported: '*', exported: childrenOf(each)[0]?.text }]
    return childrenOfType(each, 'import_specifier').map((specifier) => {
      const imported = nameOf(specifier)
      return { source, imported, exported: specifier.childForFieldName('alias')?.text ?? imported }
    })
  })
}

/** The declarations of a statement. `statement` is the export around it, whose comment is theirs. */
function declarationsOf(node: SourceNode, statement: SourceNode): SourceDeclaration[] {
  const of = (name: string, signature: string, members: SourceDeclaration[] = []): SourceDeclaration => ({
    name,
    ...linesOf(statement),
    signature,
    comment: starComment(commentsAbove(statement).at(-1)),
    members,
  })
  const name = nameOf(node)
  switch (node.type) {
    case 'ambient_declaration':
      return childrenOf(node).flatMap((each) => declarationsOf(each, statement))
    case 'function_declaration':
    case 'function_signature':
    case 'generator_function_declaration':
      return [of(name, headOf(node))]
    case 'class_declaration':
    case 'abstract_class_declaration':
      return [of(name, headOf(node), membersOf(node))]
    case 'interface_declaration':
    case 'type_alias_declaration':
    case 'enum_declaration':
      return [of(name, definitionOf(node))]
    case 'lexical_declaration':
      return childrenOfType(node, 'variable_declarator').map((each) => of(nameOf(each), `const ${valueHead(each)}`))
    default:
      return []
  }
}

/** A variable up to the body of its function, or with a short value. */
function valueHead(node: SourceNode): string {
  const value = node.childForFieldName('value')
  const body = value && /function/.test(value.type) ? value.childForFieldName('body') : undefined
  if (body) return node.text.slice(0, body.startIndex - node.startIndex).trimEnd()
  if (node.text.length <= maxValueChars) return node.text
  return value
    ? withoutEnding(node.text.slice(0, value.startIndex - node.startIndex), '= \t\r\n')
    : node.text.slice(0, maxValueChars)
}

const member = /^(?:method_definition|method_signature|abstract_method_signature|public_field_definition)$/

/** The methods and fields of a class that are not private. */
function membersOf(node: SourceNode): SourceDeclaration[] {
  return childrenOf(node.childForFieldName('body')).flatMap((each) => {
    const isHidden = childrenOf(each).some(({ type, text }) => type === 'accessibility_modifier' && text !== 'public')
    const name = nameOf(each)
    if (!member.test(each.type) || isHidden || /^[#_]/.test(name)) return []
    const comment = starComment(commentsAbove(each).at(-1))
    const signature = each.type === 'public_field_definition' ? valueHead(each) : headOf(each)
    return [{ name, ...linesOf(each), signature, comment, members: [] }]
  })
}
