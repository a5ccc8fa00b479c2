import { markdownReader } from '../markdown/reader.ts'
import type { Block, Page, Reader, Section } from '../page/page.ts'
import { fencedCode, inlineText } from './inline-text.ts'
import { methods, type Operation, operationBlocks, operationLine } from './operation.ts'
import { schemaLines, typeName } from './schema-lines.ts'
import { entriesOf, listOf, type Resolve, resolver, textOf, type Values, valuesOf } from './values.ts'

const severalDocuments =
  'not an OpenAPI document: the file holds several YAML documents, divided by "---"; put each into its own file'

/** Reads an OpenAPI 3 or Swagger 2 document: one section per operation, or per schema if it has no operations. Throws for other text. */
export const openapiReader: Reader = async (text, { path }): Promise<Page> => {
  const root = await parse(text, path)
  if (root.openapi === undefined && root.swagger === undefined)
    throw new Error('not an OpenAPI document: neither openapi nor swagger is set')
  const info = valuesOf(root.info)
  const operations = await operationSections(root)
  const listed = operations.length > 0 ? operations : await schemaSections(root)
  const sections = [...(await overview(root)), ...(await tagSections(root)), ...listed]
  return { title: textOf(info.title) || undefined, sections }
}

async function parse(text: string, path: string): Promise<Values> {
  try {
    if (path.toLowerCase().endsWith('.json')) return valuesOf(JSON.parse(text))
    const { parse: parseYaml } = await import('yaml')
    return valuesOf(parseYaml(text, { logLevel: 'error' }))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MULTIPLE_DOCS') throw new Error(severalDocuments)
    const why = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown error'
    throw new Error(`not a readable OpenAPI document: ${why}`)
  }
}

/** The description of the API, its servers and its authentication. */
async function overview(root: Values): Promise<Section[]> {
  const info = valuesOf(root.info)
  const described = await describe(info.description ?? info.summary)
  const servers = listOf(root.servers).map((server) => [textOf(valuesOf(server).url), inlineText(valuesOf(server).description)])
  const host = textOf(root.host) + textOf(root.basePath)
  if (host !== '') servers.push([host, ''])
  const schemes = entriesOf(valuesOf(root.components).securitySchemes ?? root.securityDefinitions)
  const facts = [
    list(
      'Served at:',
      servers.map(([url = '', description = '']) => `- \`${url}\`${description === '' ? '' : `: ${description}`}`),
    ),
    list(
      'Authentication:',
      schemes.map(([name, scheme]) => schemeLine(name, valuesOf(scheme))),
    ),
  ]
  const [first, ...others] = described
  const blocks = [
    ...(first?.headings.length === 0 ? first.blocks : []),
    ...facts.flatMap(prose),
    ...schemes.flatMap(([, scheme]) => fencedCode(valuesOf(scheme).description)),
  ]
  const rest = first?.headings.length === 0 ? others : described
  return [...(blocks.length > 0 ? [{ headings: [], line: 0, blocks }] : []), ...rest]
}

function schemeLine(name: string, scheme: Values): string {
  const words = [scheme.type, scheme.scheme, scheme.in, scheme.name].map(textOf).filter((word) => word !== '')
  const description = inlineText(scheme.description)
  return `- \`${name}\` (${words.join(' ')})${description === '' ? '' : `: ${description}`}`
}

async function tagSections(root: Values): Promise<Section[]> {
  const sections: Section[] = []
  for (const tag of listOf(root.tags).map(valuesOf)) {
    const described = await describe(tag.description)
    sections.push(...described.map((section) => ({ ...section, headings: [tagName(tag), ...section.headings] })))
  }
  return sections
}

const tagName = (tag: Values): string => textOf(tag['x-displayName']) || textOf(tag.name)

async function operationSections(root: Values): Promise<Section[]> {
  const resolve = resolver(root)
  const tagNames = new Map(
    listOf(root.tags)
      .map(valuesOf)
      .map((tag) => [textOf(tag.name), tagName(tag)]),
  )
  const sections: Section[] = []
  for (const operation of operationsOf(root, resolve)) {
    const { method, path, values } = operation
    const tag = textOf(listOf(values.tags)[0])
    const heading = textOf(values.summary).replace(/\s+/g, ' ') || `${method} ${path}`
    const described = [...(await describe(operation.about)), ...(await describe(values.description))]
    const blocks = [...prose(operationLine(operation)), ...described.flatMap(flatten), ...operationBlocks(operation, resolve)]
    sections.push({ headings: tag === '' ? [heading] : [tagNames.get(tag) ?? tag, heading], line: 0, blocks })
  }
  return sections
}

async function schemaSections(root: Values): Promise<Section[]> {
  const resolve = resolver(root)
  const sections: Section[] = []
  for (const [name, schema] of entriesOf(valuesOf(root.components).schemas ?? root.definitions)) {
    const described = await describe(resolve(schema).description)
    const type = typeName(schema, resolve)
    const line = `\`${name}\`${type === '' ? '' : ` (${type})`}`
    const blocks = [...prose(line), ...described.flatMap(flatten), ...prose(schemaLines(schema, resolve).join('\n'))]
    sections.push({ headings: [name], line: 0, blocks })
  }
  return sections
}

function* operationsOf(root: Values, resolve: Resolve): Generator<Operation> {
  const webhooks = entriesOf(root.webhooks ?? root['x-webhooks'])
  const items: [string, unknown][] = [
    ...entriesOf(root.paths),
    ...webhooks.map(([name, item]): [string, unknown] => [`webhook ${name}`, item]),
  ]
  for (const [path, item] of items) {
    const resolved = resolve(item)
    for (const method of methods) {
      if (entriesOf(resolved[method]).length === 0) continue
      yield {
        method: method.toUpperCase(),
        path,
        values: valuesOf(resolved[method]),
        shared: listOf(resolved.parameters),
        about: resolved.description ?? resolved.summary,
      }
    }
  }
}

/** Reads a description as sections. The title in front keeps the reader from using the first heading as the title. */
async function describe(description: unknown): Promise<Section[]> {
  const text = textOf(description)
  if (text === '') return []
  if (!/[`~#[<!|\n\\]/.test(text)) return [{ headings: [], line: 0, blocks: prose(text) }]
  const { sections } = await markdownReader(`# Description\n\n${text}`, { path: '', readFile: () => undefined })
  return sections.map((section) => ({ ...section, line: 0, blocks: section.blocks.map((block) => ({ ...block, line: 0 })) }))
}

/** Headings inside an operation become bold lines. */
const flatten = ({ headings, blocks }: Section): Block[] => [
  ...prose(headings.length > 0 ? `**${headings.at(-1)}**` : ''),
  ...blocks,
]

const prose = (text: string): Block[] => (text === '' ? [] : [{ kind: 'prose', text, line: 0 }])
const list = (title: string, lines: string[]): string => (lines.length > 0 ? `${title}\n\n${lines.join('\n')}` : '')
