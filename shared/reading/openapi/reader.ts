import type { Block, Page, Reader, Section } from '../page/page.ts'
import { codeSamples } from './code-samples.ts'
import { describedBlocks, placed, prose } from './describe.ts'
import { schemaExample } from './examples.ts'
import { titleText } from './inline-text.ts'
import { listOperations, type Operation, operationLine } from './list-operations.ts'
import { errorBlocks, operationBlocks } from './operation-blocks.ts'
import { overviewSections, tagNames } from './overview.ts'
import { type Document, openDocument, type References } from './references.ts'
import { type Detail, type Scope, type SharedError, schemaLines, typeName } from './schema-lines.ts'
import { entriesOf, isValues, listOf, textOf, type Values, valuesOf } from './values.ts'

const severalDocuments =
  'not an OpenAPI document: the file holds several YAML documents, divided by "---"; put each into its own file'

/** Lines of schemas in one document. */
const maxSchemaLines = 300_000

/**
 * Reads an OpenAPI 3 or Swagger 2 document and the files that it refers to: one section per operation, shared error and schema with an example,
 * or per schema if it has no operations, each followed by the long descriptions of its properties. Throws for other text.
 */
export const openapiReader: Reader = async (text, context): Promise<Page> => {
  const { root: value, references: refs } = open(text, context)
  const root = valuesOf(value)
  if (root.openapi === undefined && root.swagger === undefined)
    throw new Error('not an OpenAPI document: neither openapi nor swagger is set')
  const reading = { root, document: context.path, ...collectingScope(refs) }
  const operations = await operationSections(reading)
  const errors = await errorSections(reading)
  const shared = new Set(reading.errors.map((error) => error.values))
  const isListed = (schema: Values) => operations.length === 0 || (hasExample(schema) && !shared.has(schema))
  const schemas = await schemaSections(reading, isListed)
  const sections = [...(await overviewSections(root, refs, context.path)), ...operations, ...errors, ...schemas]
  const [title, omitted] = [refs.text(refs.resolve(root.info).title), refs.unresolved()]
  return { ...(title !== '' && { title }), sections, ...(omitted !== undefined && { omitted }) }
}

function open(...source: Parameters<typeof openDocument>): Document {
  try {
    return openDocument(...source)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MULTIPLE_DOCS') throw new Error(severalDocuments)
    const why = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown error'
    throw new Error(`not a readable OpenAPI document: ${why}`)
  }
}

/** Errors and long descriptions are collected while operations are read, and become sections. */
type Reading = { root: Values; document: string; scope: Scope; errors: SharedError[]; takeDetails(): Detail[] }

function collectingScope(refs: References): Pick<Reading, 'scope' | 'takeDetails' | 'errors'> {
  const seen = new Set<string>()
  const isFirst = (key: string) => !seen.has(key) && seen.add(key) !== undefined
  const errors: SharedError[] = []
  let details: Detail[] = []
  return {
    errors,
    scope: {
      refs,
      linesLeft: maxSchemaLines,
      addError(error) {
        const { file, line } = refs.place(error.values)
        if (isFirst(`${line} ${file}`)) errors.push(error)
      },
      addDetail(detail) {
        if (isFirst(`${detail.name}\n${detail.description}`)) details.push(detail)
      },
    },
    takeDetails() {
      const taken = details
      details = []
      return taken
    },
  }
}

async function operationSections(reading: Reading): Promise<Section[]> {
  const { root, document, scope, takeDetails } = reading
  const { refs } = scope
  const tags = tagNames(root, refs)
  const sections: Section[] = []
  for (const operation of listOperations(root, refs)) {
    const { values, about } = operation
    const headings = headingsOf(operation, tags, refs)
    const blocks = [
      ...prose(operationLine(operation)),
      ...(await describedBlocks(about)),
      ...(await describedBlocks(descriptionOf(values, refs))),
      ...codeSamples(values, refs),
      ...operationBlocks(operation, scope),
    ]
    sections.push(placed({ headings, blocks }, refs.place(values), document))
    sections.push(...(await detailSections(takeDetails(), headings, reading)))
  }
  return sections
}

function headingsOf(operation: Operation, tags: Map<string, string>, refs: References): string[] {
  const { method, path, values, caller } = operation
  const names = [refs.text(values.summary), textOf(valuesOf(values['x-oaiMeta']).name)]
  const heading = names.map(titleText).find((title) => title !== '') ?? `${method} ${path}`
  if (caller) return [...headingsOf(caller, tags, refs), heading]
  const tag = textOf(refs.list(values.tags)[0])
  return tag === '' ? [heading] : [tags.get(tag) ?? tag, heading]
}

/** A summary that is no title is a description. */
function descriptionOf(values: Values, refs: References): string {
  const [summary, description] = [refs.text(values.summary), refs.text(values.description)]
  return titleText(summary) === '' && !description.includes(summary) ? `${summary}\n\n${description}` : description
}

async function detailSections(details: Detail[], headings: string[], { scope, document }: Reading): Promise<Section[]> {
  const sections: Section[] = []
  for (const { name, type, description, values } of details) {
    const blocks = [...prose(`\`${name}\`${type === '' ? '' : ` (${type})`}`), ...(await describedBlocks(description))]
    sections.push(placed({ headings: [...headings, name], blocks }, scope.refs.place(values), document))
  }
  return sections
}

async function errorSections(reading: Reading): Promise<Section[]> {
  const { errors, document, scope, takeDetails } = reading
  const sections: Section[] = []
  for (const { heading, values, isSchema } of errors) {
    const described = await describedBlocks(scope.refs.text(values.description))
    const blocks = [...described, ...(isSchema ? schemaBlocks(values, scope) : errorBlocks(values, scope))]
    sections.push(placed({ headings: [heading], blocks }, scope.refs.place(values), document))
    sections.push(...(await detailSections(takeDetails(), [heading], reading)))
  }
  return sections
}

const schemaBlocks = (schema: unknown, scope: Scope): Block[] => [
  ...prose(schemaLines(schema, scope).join('\n')),
  ...schemaExample(schema, scope),
]

/** True for a schema that is documented by an example of its own. */
const hasExample = ({ example, examples, 'x-oaiMeta': meta }: Values): boolean =>
  [example, ...listOf(examples)].some(isValues) || valuesOf(meta).example !== undefined

async function schemaSections(reading: Reading, isListed: (schema: Values) => boolean): Promise<Section[]> {
  const { root, document, scope, takeDetails } = reading
  const { refs } = scope
  const sections: Section[] = []
  for (const [name, schema] of entriesOf(refs.resolve(refs.resolve(root.components).schemas ?? root.definitions))) {
    const values = refs.resolve(schema)
    if (!isListed(values)) continue
    const heading = titleText(textOf(valuesOf(values['x-oaiMeta']).name)) || name
    const type = typeName(schema)
    const blocks = [
      ...prose(`\`${name}\`${type === '' ? '' : ` (${type})`}`),
      ...(await describedBlocks(refs.text(values.description))),
      ...schemaBlocks(schema, scope),
    ]
    sections.push(placed({ headings: [heading], blocks }, refs.place(values), document))
    sections.push(...(await detailSections(takeDetails(), [heading], reading)))
  }
  return sections
}
