import type { Block } from '../page/page.ts'
import type { References } from './references.ts'
import type { Scope } from './schema-lines.ts'
import { entriesOf, listOf, textOf, type Values, valuesOf } from './values.ts'

type Example = { label: string; value: unknown; type: string }
type Examined = { request: Values; body: Values | undefined; responses: Response[] }
/** `shares` names the parts whose examples have their own section. */
export type Response = { status: string; values: Values; shares: 'nothing' | 'schema' | 'all' }

const maxExampleLength = 20_000
const maxExamples = 20
/** Files that are parts of one example. */
const maxInserted = 20
/** An example may hold a JSON schema, whose references are its text. */
const fileReference = /^[\w./-]+\.(?:json|ya?ml)(?:#|$)/

/** Examples of the request and its responses. */
export function examplesOf({ request, body, responses }: Examined, scope: Scope): Block[] {
  const requests = [...contentExamples(request, scope), ...schemaExamples(body?.schema, '', scope)]
  const examples = requests.map((example) => prefixed('request', example))
  for (const { status, values, shares } of responses) {
    const own = shares === 'all' ? [] : responseExamples(values, scope, shares === 'nothing')
    examples.push(...own.map((example) => prefixed(`response ${status}`, example)))
  }
  return examples.slice(0, maxExamples).flatMap((example) => exampleBlock(example, scope))
}

export const errorExamples = (values: Values, scope: Scope): Block[] =>
  responseExamples(values, scope)
    .slice(0, maxExamples)
    .flatMap((example) => exampleBlock(example, scope))

/** Examples by media type are those of Swagger 2. */
function responseExamples(response: Values, scope: Scope, ofSchema = true): Example[] {
  const byType = entriesOf(scope.refs.resolve(response.examples)).map(([type, value]) => ({ label: '', value, type }))
  return [...contentExamples(response, scope, ofSchema), ...byType]
}

export const schemaExample = (schema: unknown, scope: Scope): Block[] =>
  schemaExamples(schema, '', scope).flatMap((example) => exampleBlock({ ...example, label: 'example' }, scope))

/** An example of JSON as code; nothing for one that is too long. */
export const labelledExample = (label: string, value: unknown, scope: Scope): Block[] =>
  exampleBlock({ label, value, type: 'application/json' }, scope)

const prefixed = (prefix: string, { label, ...example }: Example): Example => ({
  ...example,
  label: label === '' ? prefix : `${prefix}, ${label}`,
})

function contentExamples(holder: Values, scope: Scope, ofSchema = true): Example[] {
  const { refs } = scope
  return entriesOf(refs.resolve(holder.content)).flatMap(([type, media]) => {
    const { example, examples, schema } = refs.resolve(media)
    if (example !== undefined) return [{ label: '', value: exampleValue(example, scope), type }]
    const several = entriesOf(refs.resolve(examples)).map(([name, entry]) => {
      const values = refs.resolve(entry)
      const label = refs.text(values.summary) || name
      return { label, value: values.value ?? externalText(values, scope), type }
    })
    return several.length > 0 || !ofSchema ? several : schemaExamples(schema, type, scope)
  })
}

function externalText(example: Values, { refs }: Scope): string | undefined {
  const address = textOf(example.externalValue)
  return address === '' ? undefined : refs.file(example, address)
}

/** An example that is only a reference, as fragments of a document have it. */
function exampleValue(example: unknown, { refs }: Scope): unknown {
  if (typeof valuesOf(example).$ref !== 'string') return example
  const target = refs.resolve(example)
  return target.value ?? target
}

function schemaExamples(schema: unknown, type: string, { refs }: Scope): Example[] {
  const { example, examples, 'x-oaiMeta': meta } = refs.resolve(schema)
  const value = example ?? listOf(examples)[0] ?? valuesOf(meta).example
  return value === undefined ? [] : [{ label: '', value, type }]
}

function exampleBlock({ label, value, type }: Example, { refs }: Scope): Block[] {
  const code = printed(value, refs)
  if (code === '' || code.length > maxExampleLength) return []
  return [{ kind: 'code', code, language: languageOf(value, code, type), line: 0, ...(label !== '' && { label }) }]
}

function languageOf(value: unknown, code: string, type: string): string {
  if (typeof value !== 'string' || /^[[{]/.test(code)) return 'json'
  return /\b(xml|html|yaml)\b/.exec(type)?.[1] ?? ''
}

/** JSON of an example with the files that are its parts, or without them if they refer to each other. */
function printed(value: unknown, refs: References): string {
  if (typeof value === 'string') return value.trim()
  if (value === undefined || value === null) return ''
  let inserted = 0
  const insertFile = (_: string, part: unknown): unknown =>
    fileReference.test(textOf(valuesOf(part).$ref)) && inserted++ < maxInserted ? refs.resolve(part) : part
  return jsonOf(value, insertFile) || jsonOf(value)
}

/** Empty for a circular value, which YAML allows. */
function jsonOf(value: unknown, replace?: (key: string, part: unknown) => unknown): string {
  try {
    return JSON.stringify(value, replace, 2)
  } catch {
    return ''
  }
}
