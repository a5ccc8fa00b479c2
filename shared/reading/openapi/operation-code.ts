import type { Block } from '../page/page.ts'
import { entriesOf, listOf, type Resolve, textOf, type Values, valuesOf } from './values.ts'

type Example = { label: string; value: unknown }

const maxExampleLength = 20_000
const maxExamples = 20
const samplesGroup = 1

/** Code samples of an operation as variants of one example, then examples of its requests and responses. */
export function operationCode(operation: Values, bodySchema: unknown, resolve: Resolve): Block[] {
  const samples = listOf(operation['x-codeSamples'] ?? operation['x-code-samples']).flatMap((sample) =>
    sampleBlock(valuesOf(sample)),
  )
  const requests = [...contentExamples(resolve(operation.requestBody), resolve), ...schemaExamples(bodySchema, resolve)]
  const examples = requests.map((example) => prefixed('request', example))
  for (const [status, response] of entriesOf(operation.responses)) {
    const resolved = resolve(response)
    const byType = entriesOf(resolved.examples).map(([, value]) => ({ label: '', value }))
    examples.push(...[...contentExamples(resolved, resolve), ...byType].map((example) => prefixed(`response ${status}`, example)))
  }
  return [...samples, ...examples.slice(0, maxExamples).flatMap(exampleBlock)]
}

const prefixed = (prefix: string, { label, value }: Example): Example => ({
  label: label === '' ? prefix : `${prefix}, ${label}`,
  value,
})

function contentExamples(holder: Values, resolve: Resolve): Example[] {
  return entriesOf(holder.content).flatMap(([, media]) => {
    const { example, examples, schema } = valuesOf(media)
    if (example !== undefined) return [{ label: '', value: example }]
    const several = entriesOf(examples).map(([name, entry]) => {
      const { summary, value } = resolve(entry)
      return { label: textOf(summary) || name, value }
    })
    return several.length > 0 ? several : schemaExamples(schema, resolve)
  })
}

function schemaExamples(schema: unknown, resolve: Resolve): Example[] {
  const { example, examples } = resolve(schema)
  const value = example ?? listOf(examples)[0]
  return value === undefined ? [] : [{ label: '', value }]
}

function sampleBlock({ lang, label, source }: Values): Block[] {
  const code = typeof source === 'string' ? source.trimEnd() : ''
  const language = textOf(lang)
  const name = textOf(label) || language
  return code === ''
    ? []
    : [
        {
          kind: 'code',
          code,
          language: language.toLowerCase(),
          line: 0,
          group: samplesGroup,
          ...(name === '' ? {} : { label: name }),
        },
      ]
}

function exampleBlock({ label, value }: Example): Block[] {
  const code = printed(value)
  if (code === '' || code.length > maxExampleLength) return []
  const isJson = typeof value !== 'string' || /^[[{]/.test(code)
  return [{ kind: 'code', code, language: isJson ? 'json' : '', label, line: 0 }]
}

/** JSON of an example; empty for a circular one, which YAML allows. */
function printed(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  try {
    return value === undefined || value === null ? '' : JSON.stringify(value, null, 2)
  } catch {
    return ''
  }
}
