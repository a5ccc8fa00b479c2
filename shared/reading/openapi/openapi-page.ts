import type { Block, Page, Section } from '../page/page.ts'
import { codeSamples } from './code-samples.ts'
import { describedBlocks, placed, prose } from './describe.ts'
import { schemaExample } from './examples.ts'
import { titleText } from './inline-text.ts'
import { listOperations, type Operation, operationLine } from './list-operations.ts'
import { errorBlocks, operationBlocks } from './operation-blocks.ts'
import { overviewSections, tagNames } from './overview.ts'
import { detailSections, type Reading, startReading } from './reading.ts'
import type { Document, References } from './references.ts'
import { type Scope, schemaLines, typeName } from './schema-lines.ts'
import { entriesOf, isValues, listOf, textOf, type Values, valuesOf } from './values.ts'

/**
 * The page of an OpenAPI 3 or Swagger 2 document and the files that it refers to: one section per operation, shared error and schema with an example,
 * or per schema if it has no operations, each followed by the long descriptions of its properties.
 */
export async function openapiPage({ root: value, references: refs }: Document, path: string): Promise<Page> {
  const root = valuesOf(value)
  const reading = startReading(root, path, refs)
  const operations = await operationSections(reading)
  const errors = await errorSections(reading)
  const shared = new Set(reading.errors.map((error) => error.values))
  const isListed = (schema: Values) => operations.length === 0 || (hasExample(schema) && !shared.has(schema))
  const schemas = await schemaSections(reading, isListed)
  const sections = [...(await overviewSections(root, refs, path)), ...operations, ...errors, ...schemas]
  const [title, omitted] = [refs.text(refs.resolve(root.info).title), refs.unresolved()]
  return { ...(title !== '' && { title }), sections, ...(omitted !== undefined && { omitted }) }
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
