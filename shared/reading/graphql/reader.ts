import {
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  isTypeSystemDefinitionNode,
  isTypeSystemExtensionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  print,
  type StringValueNode,
  visit,
} from 'graphql'
import { describedBlocks, prose } from '../openapi/describe.ts'
import { inlineText } from '../openapi/inline-text.ts'
import type { Block, Page, Reader, Section } from '../page/page.ts'

/** Bounds the memory and time that one schema takes: the largest real schemas have a third of it. */
const maxTokens = 1_000_000
const maxDescribed = 300

/**
 * Reads a GraphQL schema: one section per query, mutation and subscription, and per type, scalar and directive, with its definition as code.
 * Throws for text that is no GraphQL and for documents without definitions of types.
 */
export const graphqlReader: Reader = async (text): Promise<Page> => {
  const { definitions } = parseSchema(text)
  const known = definitions.filter((each) => isTypeSystemDefinitionNode(each) || isTypeSystemExtensionNode(each))
  if (known.length === 0) throw new Error('not a GraphQL schema: it defines no types')
  const roots = rootTypes(known)
  const sections: Section[] = []
  for (const definition of known) sections.push(...(await sectionsOf(definition, roots)))
  return { sections }
}

function parseSchema(text: string) {
  try {
    return parse(text, { maxTokens })
  } catch (error) {
    throw new Error(
      `not a readable GraphQL schema: ${error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown error'}`,
    )
  }
}

/** The types whose fields are the operations, with the name of each operation. */
function rootTypes(definitions: readonly DefinitionNode[]): ReadonlyMap<string, string> {
  const schemas = definitions.filter((each) => each.kind === Kind.SCHEMA_DEFINITION || each.kind === Kind.SCHEMA_EXTENSION)
  const named = schemas.flatMap(({ operationTypes = [] }) =>
    operationTypes.map(({ operation, type }): [string, string] => [type.name.value, operation]),
  )
  const usual: [string, string][] = ['query', 'mutation', 'subscription'].map((each) => [capitalized(each), each])
  return new Map(named.length > 0 ? named : usual)
}

async function sectionsOf(definition: DefinitionNode, roots: ReadonlyMap<string, string>): Promise<Section[]> {
  if (definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION) {
    const description = 'description' in definition ? definition.description : undefined
    const blocks = await describedBlocks(textOf(description))
    return blocks.length === 0
      ? []
      : [{ headings: [], line: lineOf(definition), blocks: blocks.map((each) => ({ ...each, line: 0 })) }]
  }
  const root = isObject(definition) ? roots.get(definition.name.value) : undefined
  if (isObject(definition) && root !== undefined) {
    const sections: Section[] = []
    for (const field of definition.fields ?? []) sections.push(await operationSection(field, root))
    return sections
  }
  const name = 'name' in definition && definition.name ? definition.name.value : ''
  const fields = 'fields' in definition ? (definition.fields ?? []) : 'values' in definition ? (definition.values ?? []) : []
  const description = 'description' in definition ? definition.description : undefined
  const described = 'arguments' in definition ? (definition.arguments ?? []) : fields
  return [await section([name], definition, description, described as readonly Described[])]
}

type Described = Pick<FieldDefinitionNode, 'name' | 'description'> & {
  arguments?: readonly InputValueDefinitionNode[] | undefined
}

const isObject = (node: DefinitionNode): node is ObjectTypeDefinitionNode | ObjectTypeExtensionNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION

const operationSection = (field: FieldDefinitionNode, operation: string): Promise<Section> =>
  section([capitalized(operation), field.name.value], field, field.description, field.arguments ?? [])

/** The definition without its descriptions as code, which are prose before and after it. */
async function section(
  headings: string[],
  node: DefinitionNode | FieldDefinitionNode,
  description: StringValueNode | undefined,
  parts: readonly Described[],
): Promise<Section> {
  const definition = visit(node, { [Kind.STRING]: (_, key) => (key === 'description' ? null : undefined) })
  const code: Block = { kind: 'code', code: print(definition), language: 'graphql', line: 0 }
  const lines = parts
    .slice(0, maxDescribed)
    .flatMap((part) => [
      ...describedLine(part.name.value, part.description),
      ...(part.arguments ?? []).flatMap((each) => describedLine(`${part.name.value}.${each.name.value}`, each.description)),
    ])
  const blocks = [...(await describedBlocks(textOf(description))), code, ...prose(lines.join('\n'))]
  return { headings, line: lineOf(node), blocks: blocks.map((block) => ({ ...block, line: 0 })) }
}

function describedLine(name: string, description: StringValueNode | undefined): string[] {
  const text = inlineText(textOf(description))
  return text === '' ? [] : [`- \`${name}\`: ${text}`]
}

const textOf = (description: StringValueNode | undefined): string => description?.value.trim() ?? ''
const lineOf = (node: DefinitionNode | FieldDefinitionNode): number => node.loc?.startToken.line ?? 0
const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
