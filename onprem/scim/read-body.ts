import { invalid } from './scim-error.ts'

/** The attributes of a resource by their names in lower case, because names ignore case. */
export type Attributes = ReadonlyMap<string, unknown>

const corePrefix = 'urn:ietf:params:scim:schemas:core:'

/** Reads the attributes of a body whose `schemas` name the core schema. Other schemas are extensions, which are ignored. */
export function readResource(body: unknown, schema: string): Attributes {
  const attributes = attributesOf(body)
  const schemas = attributes.get('schemas')
  const named = Array.isArray(schemas) ? schemas : []
  const other = named.find((each) => isCore(each) && each.toLowerCase() !== schema.toLowerCase())
  if (other !== undefined || !named.some((each) => isCore(each)))
    throw invalid(
      'invalidValue',
      `The attribute schemas must name ${schema}${other === undefined ? '' : ' and no other core schema'}.`,
    )
  return attributes
}

const isCore = (schema: unknown): schema is string => typeof schema === 'string' && schema.toLowerCase().startsWith(corePrefix)

export function attributesOf(body: unknown): Attributes {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('invalidSyntax', 'The body must be a JSON object.')
  return new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]))
}

const maxChars = 256

/** A text that is stored as it was sent. */
export function textOf(name: string, value: unknown): string {
  const isText = typeof value === 'string' && value.trim() !== '' && value.length <= maxChars && /^\P{Cc}*$/u.test(value)
  if (isText) return value
  throw invalid('invalidValue', `${name} must be a text of 1 to ${maxChars} characters without control characters.`)
}

/** Null clears the attribute, undefined leaves it as it is. */
export const externalIdOf = (value: unknown): string | null | undefined =>
  value === undefined ? undefined : value === null || value === '' ? null : textOf('externalId', value)
