import { inlineText } from './inline-text.ts'
import { entriesOf, listOf, type Resolve, refName, textOf, type Values, valuesOf } from './values.ts'

const maxDepth = 4
const maxLines = 150
const maxSteps = 2_000
const maxNamed = 30

/** `steps` bounds the cost of a schema with many variants, even without properties. */
type Listing = { lines: string[]; steps: number; resolve: Resolve }

/** Prints a schema as a nested Markdown list, one property per line. Resolves references; names cycles without following them. */
export function schemaLines(schema: unknown, resolve: Resolve): string[] {
  const listing: Listing = { lines: [], steps: 0, resolve }
  addProperties(listing, schema, '', [])
  const { lines } = listing
  return lines.length > maxLines ? [...lines.slice(0, maxLines), '- …'] : lines
}

function addProperties(listing: Listing, schema: unknown, indent: string, above: Values[]): void {
  const { lines, resolve } = listing
  const resolved = resolve(schema)
  listing.steps += 1
  if (above.length >= maxDepth || above.includes(resolved) || lines.length > maxLines || listing.steps > maxSteps) return
  const path = [...above, resolved]
  const parts = [resolved.items ?? [], resolved.allOf ?? [], resolved.oneOf ?? [], resolved.anyOf ?? []].flat()
  for (const part of parts) addProperties(listing, part, indent, path)
  const required = new Set(listOf(resolved.required))
  for (const [name, property] of entriesOf(resolved.properties)) {
    lines.push(indent + propertyLine(name, property, required.has(name) ? ['required'] : [], resolve))
    addProperties(listing, property, `${indent}  `, path)
  }
  const additional = resolved.additionalProperties
  if (entriesOf(additional).length === 0) return
  lines.push(indent + propertyLine('<key>', additional, [], resolve))
  addProperties(listing, additional, `${indent}  `, path)
}

/** `- \`name\` (type, notes): description` */
export function propertyLine(name: string, schema: unknown, notes: string[], resolve: Resolve): string {
  const resolved = resolve(schema)
  const words = [typeName(schema, resolve), ...notes, ...constraints(resolved)].filter(Boolean)
  const description = inlineText(valuesOf(schema).description ?? resolved.description)
  return `- \`${name}\`${words.length > 0 ? ` (${words.join(', ')})` : ''}${description === '' ? '' : `: ${description}`}`
}

/** A short name of a type: `string (uuid)`, `array of Pet`, `Cat | Dog`. */
export function typeName(schema: unknown, resolve: Resolve, depth = 0): string {
  const named = refName(schema)
  if (named !== '') return named
  const resolved = resolve(schema)
  if (depth >= maxDepth) return ''
  const parts = [...listOf(resolved.oneOf), ...listOf(resolved.anyOf), ...listOf(resolved.allOf)].slice(0, maxNamed)
  const joint = resolved.allOf === undefined ? ' | ' : ' & '
  const types = listOf(resolved.type).map(String).join(' | ') || textOf(resolved.type)
  if (types === '' && parts.length > 0) {
    return parts
      .map((part) => typeName(part, resolve, depth + 1))
      .filter(Boolean)
      .join(joint)
  }
  if (types === 'array') return `array of ${typeName(resolved.items, resolve, depth + 1) || 'any'}`
  const format = textOf(resolved.format)
  return types + (format === '' ? '' : ` (${format})`)
}

function constraints(schema: Values): string[] {
  const values = listOf(schema.enum)
  const more = values.length > maxNamed ? ', …' : ''
  return [
    values.length > 0 ? `one of ${values.slice(0, maxNamed).map(code).join(', ')}${more}` : '',
    schema.default === undefined ? '' : `default ${code(schema.default)}`,
    schema.const === undefined ? '' : `always ${code(schema.const)}`,
    schema.nullable === true ? 'nullable' : '',
    schema.readOnly === true ? 'read-only' : '',
    schema.writeOnly === true ? 'write-only' : '',
    schema.deprecated === true ? 'deprecated' : '',
  ]
}

function code(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? '…' : String(value)
  return `\`${text.slice(0, 100).replaceAll('`', "'")}\``
}
