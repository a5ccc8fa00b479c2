import { fencedCode, inlineText } from './inline-text.ts'
import type { References } from './references.ts'
import { entriesOf, listOf, refName, textOf, type Values, valuesOf } from './values.ts'

/** A property or parameter whose description is too long for its line. */
export type Detail = { name: string; type: string; description: string; values: Values }

/** A response with an error, or its schema, that operations refer to. */
export type SharedError = { heading: string; values: Values; isSchema: boolean }

/** The state that the sections of one document share. */
export type Scope = {
  refs: References
  /** Ignores a description that another property of the same name has. */
  addDetail(detail: Detail): void
  /** Ignores one that was added before. */
  addError(error: SharedError): void
  /** Lines that schemas may still have in the document. */
  linesLeft: number
}

const maxDepth = 6
const maxLines = 150
const maxSteps = 2_000
const maxNamed = 30
/** The length of a description that is shown on the line of its property. */
const maxInline = 400

/** `steps` bounds the cost of a schema with many variants, even without properties. */
type Listing = { lines: string[]; steps: number; scope: Scope }
/** The schemas around a schema, and the lines of the object that it describes: variants of an object share properties. */
type Around = { above: Values[]; listed: Set<string> }

/** Prints a schema as a nested Markdown list, one property per line. Resolves references; names cycles without following them. */
export function schemaLines(schema: unknown, scope: Scope): string[] {
  const listing: Listing = { lines: [], steps: 0, scope }
  addProperties(listing, schema, '', { above: [], listed: new Set() })
  const { lines } = listing
  scope.linesLeft -= lines.length
  return lines.length > maxLines ? [...lines.slice(0, maxLines), '- …'] : lines
}

function addProperties(listing: Listing, schema: unknown, indent: string, { above, listed }: Around): void {
  const { lines, scope } = listing
  const { refs } = scope
  const resolved = refs.resolve(schema)
  listing.steps += 1
  if (above.length >= maxDepth || above.includes(resolved) || listing.steps > maxSteps) return
  const path = [...above, resolved]
  const parts = [resolved.items ?? [], resolved.allOf ?? [], resolved.oneOf ?? [], resolved.anyOf ?? []].flat()
  for (const part of parts) addProperties(listing, part, indent, { above: path, listed })
  const required = new Set(listOf(resolved.required))
  const properties = entriesOf(refs.resolve(resolved.properties))
  const { additionalProperties } = resolved
  if (entriesOf(additionalProperties).length > 0) properties.push(['<key>', additionalProperties])
  for (const [name, property] of properties) {
    if (lines.length > Math.min(maxLines, scope.linesLeft)) return
    const line = propertyLine(name, property, required.has(name) ? ['required'] : [], scope)
    if (listed.has(line)) continue
    listed.add(line)
    lines.push(indent + line)
    addProperties(listing, property, `${indent}  `, { above: path, listed: new Set() })
  }
}

/** `- \`name\` (type, notes): description`. A long description is shortened and added as a detail of `holder`, by default the schema. */
export function propertyLine(name: string, schema: unknown, notes: string[], scope: Scope, holder?: Values): string {
  const values = scope.refs.resolve(schema)
  const type = [typeName(schema), ...notes, ...constraints(values)].filter(Boolean).join(', ')
  const description = scope.refs.text(values.description)
  const shown = inlineText(description)
  const isLong = isLongDescription(description)
  if (isLong) scope.addDetail({ name, type, description, values: holder ?? values })
  const text = isLong ? firstSentences(shown) : shown
  return `- \`${name}\`${type === '' ? '' : ` (${type})`}${text === '' ? '' : `: ${text}`}`
}

/** True if a description gets a section of its own. */
const isLongDescription = (description: string): boolean =>
  inlineText(description).length > maxInline || fencedCode(description).length > 0

/** The sentences that fit, or the words if the first sentence is too long. */
function firstSentences(text: string): string {
  if (text.length <= maxInline / 2) return text
  const start = text.slice(0, maxInline / 2)
  const end = start.lastIndexOf('. ')
  return end > 0 ? start.slice(0, end + 1) : `${start.slice(0, Math.max(0, start.lastIndexOf(' ')))}…`
}

/** A short name of a type: `string (uuid)`, `array of Pet`, `Cat | Dog`. */
export function typeName(schema: unknown, depth = 0): string {
  const named = refName(schema)
  if (named !== '') return named
  const resolved = valuesOf(schema)
  if (depth >= maxDepth) return ''
  const parts = [...listOf(resolved.oneOf), ...listOf(resolved.anyOf), ...listOf(resolved.allOf)].slice(0, maxNamed)
  const joint = resolved.allOf === undefined ? ' | ' : ' & '
  const types = listOf(resolved.type).map(String).join(' | ') || textOf(resolved.type)
  if (types === '' && parts.length > 0) {
    return parts
      .map((part) => typeName(part, depth + 1))
      .filter(Boolean)
      .join(joint)
  }
  if (types === 'array') return `array of ${typeName(resolved.items, depth + 1) || 'any'}`
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
