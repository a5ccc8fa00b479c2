/** A JSON Schema as it occurs in our OpenAPI documents. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  format?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
}

/** A table of the fields of an object, those of nested objects as `outer.inner`, those of lists as `list[].inner`. */
export function fieldTable(schema: Schema, column = 'field'): string[] {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return []
  return table(
    [column, 'type', 'meaning'],
    rows.map(({ name, type, meaning }) => [`\`${name}\``, type, meaning]),
  )
}

export function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), '']
}

/** The type in words, with its limits: `integer from 1 to 100, default 20`. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return linkTo(schema.$ref)
  const kinds = schema.anyOf ?? schema.oneOf
  if (kinds) return [...new Set(kinds.map(typeOf))].join(' or ')
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum) return withDefault(schema.enum.map(code).join(', '), schema)
  const types = [schema.type ?? 'any value'].flat()
  return withDefault(
    types.map((type) => (type === 'array' ? listType(schema) : type + limits(schema, type))).join(' or '),
    schema,
  )
}

export const typeAndNeed = (schema: Schema, isRequired: boolean): string =>
  isRequired || schema.default !== undefined ? typeOf(schema) : `${typeOf(schema)}, optional`

export const nameOf = (ref: string): string => ref.replace(/^.*\//, '')

type Row = { name: string; type: string; meaning: string }

function rowsOf(schema: Schema, prefix: string): Row[] {
  const required = new Set(schema.required)
  const named = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const row = { name: prefix + name, type: typeAndNeed(field, required.has(name)), meaning: field.description ?? '' }
    return [row, ...nested(field, prefix + name)]
  })
  const rest = schema.additionalProperties
  return typeof rest === 'object' && Object.keys(rest).length > 0
    ? [...named, { name: `${prefix}…`, type: typeOf(rest), meaning: rest.description ?? '' }, ...nested(rest, `${prefix}…`)]
    : named
}

function nested(field: Schema, name: string): Row[] {
  if (field.items) return nested(field.items, `${name}[]`)
  if (field.properties || typeof field.additionalProperties === 'object') return rowsOf(field, `${name}.`)
  return (field.anyOf ?? field.oneOf ?? []).flatMap((kind) => nested(kind, name))
}

const listType = ({ items = {}, maxItems }: Schema): string =>
  `list of ${typeOf(items)}${maxItems === undefined ? '' : `, at most ${maxItems}`}`

function limits({ format, minimum = 0, maximum, maxLength }: Schema, type: string): string {
  if (type === 'string') return format ? ` (${format})` : maxLength ? `, at most ${maxLength} characters` : ''
  if (type !== 'integer' && type !== 'number') return ''
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : ` from ${minimum} to ${maximum}`
}

const withDefault = (text: string, { default: value }: Schema): string =>
  value === undefined ? text : `${text}, default ${code(value)}`

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

const linkTo = (ref: string): string => `[${nameOf(ref)}](#${nameOf(ref).toLowerCase()})`
