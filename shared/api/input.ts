import type { MiddlewareHandler } from 'hono'
import { validator } from 'hono/validator'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { type RouteDocs, withDocs } from '../http/route-docs.ts'
import { describeIssue } from '../schemas/describe-issue.ts'
import { ownError } from '../schemas/library-id-param.ts'
import { withKnownIds } from './known-ids.ts'
import { fieldSentence, unknownFields } from './unknown-fields.ts'

type Target = 'query' | 'param' | 'json'

/** Parses a part of the request. Throws validation_error with what is wrong with each parameter or field, or the error of `parsedBy` if nothing else is wrong. */
export const input = <T extends Target, Schema extends z.ZodType>(target: T, schema: Schema) =>
  withDocs(
    validator(target, (value: unknown, c) => withKnownIds(c, parseInput(target, schema, value))) as unknown as Parsed<T, Schema>,
    docsOf(target, schema),
  )

/** Tells Hono's typed client what the schema accepts. */
type Parsed<T extends Target, Schema extends z.ZodType> = MiddlewareHandler<
  // biome-ignore lint/suspicious/noExplicitAny: only any lets Hono keep the environment of the other middleware
  any,
  string,
  { in: Record<T, z.input<Schema>>; out: Record<T, z.output<Schema>> }
>

function docsOf(target: Target, schema: z.ZodType): RouteDocs {
  const errors = [400] as const
  if (target === 'json') return { errors, requestBody: { required: true, content: { 'application/json': { schema } } } }
  const params = schema as unknown as z.ZodObject
  return { errors, requestParams: target === 'query' ? { query: params } : { path: params } }
}

/** Parses a value with the errors of `input`. */
export function parseInput<Schema extends z.ZodType>(target: Target, schema: Schema, value: unknown): z.output<Schema> {
  const isRepeated = (issue: z.core.$ZodRawIssue) => target === 'query' && Array.isArray(issue.input)
  const read = schema.safeParse(value, {
    error: (issue) => (isRepeated(issue) ? 'must be given only once' : describeIssue(issue)),
  })
  if (read.success) return read.data
  const issues = read.error.issues.filter((issue) => !ownError(issue))
  const [own] = read.error.issues.flatMap((issue) => ownError(issue) ?? [])
  if (own && issues.length === 0) throw own
  const fields = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? unknownFields(schema, issue) : fieldOf(issue)))
  const wrong = new Map(fields.map((field) => [fieldSentence(field), field]))
  throw new AppError('validation_error', [...wrong.keys()].join(' '), { fields: { fields: [...wrong.values()] } })
}

/** Messages of schemas are rules, such as `must be a text`. */
const fieldOf = ({ path, message }: z.core.$ZodIssue) => ({ path: path.join('.'), message: message.replace(/\.$/, '') })
