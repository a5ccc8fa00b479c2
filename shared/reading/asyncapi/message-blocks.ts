import { describedBlocks, prose } from '../openapi/describe.ts'
import { labelledExample, schemaExample } from '../openapi/examples.ts'
import { inlineText } from '../openapi/inline-text.ts'
import { type Scope, schemaLines, typeName } from '../openapi/schema-lines.ts'
import { entriesOf, textOf, valuesOf } from '../openapi/values.ts'
import type { Block } from '../page/page.ts'
import type { Message } from './channel-uses.ts'

const maxExamples = 10

/** A message: its headers and payload, property by property, then its examples. `role` is `Message` or `Reply`. */
export async function messageBlocks({ name, values }: Message, role: string, scope: Scope): Promise<Block[]> {
  const { refs } = scope
  const payload = schemaOf(values.payload, scope)
  const notes = [textOf(values.contentType), typeName(payload)].filter((note) => note !== '')
  const about = inlineText(refs.text(values.summary)) || inlineText(refs.text(values.title))
  const line = [role, name && `\`${name}\``, notes.length > 0 ? `(${notes.join(', ')})` : ''].filter(Boolean).join(' ')
  const examples = refs.list(values.examples).slice(0, maxExamples).map(refs.resolve)
  return [
    ...prose(`${line}${about === '' ? '' : `: ${about}`}`),
    ...(await describedBlocks(refs.text(values.description))),
    ...schemaBlocks('Headers:', schemaOf(values.headers, scope), scope),
    ...schemaBlocks('Payload:', payload, scope),
    ...examples.flatMap((example) => {
      const label = refs.text(example.summary) || textOf(example.name) || 'example'
      return labelledExample(label, example.payload ?? example, scope)
    }),
    ...(examples.length === 0 ? schemaExample(payload, scope) : []),
  ]
}

/** AsyncAPI 3 wraps the schemas of other formats, such as Avro. */
function schemaOf(schema: unknown, { refs }: Scope): unknown {
  const resolved = refs.resolve(schema)
  return resolved.schemaFormat === undefined ? schema : resolved.schema
}

/** The properties, or the schema itself if it is of a format that has none. */
function schemaBlocks(title: string, schema: unknown, scope: Scope): Block[] {
  const lines = schemaLines(schema, scope)
  if (lines.length > 0) return prose(`${title}\n\n${lines.join('\n')}`)
  if (typeof schema === 'string') return [{ kind: 'code', code: schema, language: '', line: 0 }]
  const hasMore = entriesOf(valuesOf(scope.refs.resolve(schema))).some(([key]) => key !== 'type' && key !== 'description')
  return hasMore ? labelledExample('schema', scope.refs.resolve(schema), scope) : []
}
