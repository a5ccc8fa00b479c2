import type { z } from 'zod'
import { describeIssue } from '../schemas/describe-issue.ts'

type Fields = Record<string, unknown>
export type Repair = { field: string; what: string }

/** A converted value may have another issue, which the next round finds. */
const maxRounds = 4

/**
 * Parses `fields` and fixes values that are only shown: a number in a text and a text in a number are converted, other wrong values are removed. Changes
 * `fields`. Returns the reason if a wrong value `isNeeded`, with its path.
 */
export function repaired<T>(
  schema: z.ZodType<T>,
  fields: Fields,
  isNeeded: (path: PropertyKey[]) => boolean,
): { data: T; repairs: Repair[] } | { reason: string } {
  const repairs: Repair[] = []
  for (let round = 0; ; round++) {
    const read = schema.safeParse(fields, { error: describeIssue })
    if (read.success) return { data: read.data, repairs }
    const needed = read.error.issues.find(({ path }) => isNeeded(path))
    if (needed || round === maxRounds) return { reason: sentence(needed ?? read.error.issues[0]) }
    // The order is from the last one on, so that the positions of the items before it stay.
    for (const issue of read.error.issues.toReversed()) repairs.push({ field: fieldOf(issue.path), what: mend(fields, issue) })
  }
}

/** `codeList[].language`, or `rules` for an item of it. */
const fieldOf = (path: PropertyKey[]): string =>
  path.map(String).reduce((field, part, i) => {
    if (typeof path[i] !== 'number') return `${field}.${part}`
    return i === path.length - 1 ? field : `${field}[]`
  })

/** Fixes one value, and returns what was done. */
function mend(fields: Fields, { path, ...issue }: z.core.$ZodIssue): string {
  const message = issue.message.replace(/\.$/, '')
  const holder = path.slice(0, -1).reduce<Fields>((value, key) => value[String(key)] as Fields, fields)
  const last = String(path.at(-1))
  const converted = issue.code === 'invalid_type' ? convert(holder[last], issue.expected) : undefined
  if (converted !== undefined) {
    holder[last] = converted
    return `${message}; it is converted`
  }
  const [top] = path
  const list = fields[String(top)]
  if (Array.isArray(list) && issue.code === 'too_big' && path.length === 1) {
    list.splice(Number(issue.maximum))
    return `${message}; the others are ignored`
  }
  if (Array.isArray(list) && path.length === 2) {
    list.splice(Number(path[1]), 1)
    return `has an item that ${message}; the item is ignored`
  }
  delete holder[last]
  return `${message}; it is ignored`
}

function convert(value: unknown, expected: string): unknown {
  const isText = typeof value === 'string'
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  if (expected === 'string') return isPlain ? String(value) : undefined
  if (expected === 'array') return isText ? [value] : undefined
  if (expected === 'boolean') return truths.get(String(value).toLowerCase())
  const number = isText && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) && (expected !== 'int' || Number.isSafeInteger(number)) ? number : undefined
}

const truths = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** `codeList[1].code must be a text`. */
function sentence(issue: z.core.$ZodIssue | undefined): string {
  const { path = [], message = 'is malformed' } = issue ?? {}
  const name = path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`),
    '',
  )
  return `${name} ${message.replace(/\.$/, '')}`.trim()
}
