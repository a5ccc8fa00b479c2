import { z } from 'zod'
import { similarNames } from '../text/similar-names.ts'
import { visibleText } from '../text/visible-text.ts'

const maxNameCharacters = 60
const maxFields = 20

/** One entry per unknown field of a strict object in a body, with the fields that it may have meant. */
export function unknownFields(
  schema: z.ZodType,
  { keys, path }: z.core.$ZodIssueUnrecognizedKeys,
): { path: string; message: string }[] {
  const knownFields = fieldsAt(schema, path)
  return keys.slice(0, maxFields).map((key) => unknownField(key, knownFields, path))
}

export function unknownField(name: string, knownFields: readonly string[], parents: PropertyKey[] = []) {
  const similar = similarNames(name, knownFields)
  const advice =
    similar.length > 0
      ? `Did you mean ${similar.join(', ')}?`
      : knownFields.length > 0
        ? `Known fields: ${knownFields.join(', ')}`
        : 'Send {}'
  const path = [...parents, visibleText(name.slice(0, maxNameCharacters))].join('.')
  return { path, message: `is not a known field. ${advice}` }
}

/** A rule about a field as a sentence. */
export const fieldSentence = ({ path, message }: { path: string; message: string }): string =>
  `${path === '' ? 'The body' : path} ${message.replace(/[^?]$/, '$&.')}`

function fieldsAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  let at = unwrapped(schema)
  for (const part of path) {
    if (at instanceof z.ZodObject) at = unwrapped(at.shape[String(part)])
    else at = at instanceof z.ZodArray ? unwrapped(at.element) : undefined
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : []
}

/** The object or list inside optional, nullable and transformed fields. */
function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap())
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema
}
