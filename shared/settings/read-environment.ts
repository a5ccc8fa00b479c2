import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { shortened } from '../text/excerpt.ts'

type Env = Record<string, string | undefined>

const maxShownChars = 80
const isSecret = (name: string): boolean => /(PASSWORD|KEY|TOKEN|SECRET)$/.test(name)
const control = /\p{Cc}/u

/**
 * Reads the variables of a schema. Spaces and line breaks around a value are ignored, because files of variables may end their lines as Windows does; of a
 * secret only line breaks are, because it may end in a space. An empty variable is unset. Throws validation_error, which shows each rejected value that is
 * no secret.
 */
export function readEnvironment<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, env: Env): z.output<z.ZodObject<Shape>> {
  const variables = trimmed(env, Object.keys(schema.shape))
  const broken = [...variables].filter(([, value]) => control.test(value))
  if (broken.length > 0) throw invalid(broken.map(([name, value]) => rejected(name, value, 'must be one line of plain text')))
  const read = schema.safeParse(Object.fromEntries(variables))
  if (read.success) return read.data
  throw invalid(
    read.error.issues.map(({ path, message }) => {
      const name = path.join('.')
      return rejected(name, variables.get(name), message)
    }),
  )
}

function trimmed(env: Env, names: string[]): Map<string, string> {
  const variables = new Map<string, string>()
  for (const name of names) {
    const value = env[name] ?? ''
    const text = isSecret(name) ? withoutLineEnd(value) : value.trim()
    if (text !== '') variables.set(name, text)
  }
  return variables
}

function withoutLineEnd(value: string): string {
  let end = value.length
  while (value[end - 1] === '\n' || value[end - 1] === '\r') end--
  return value.slice(0, end)
}

const invalid = (sentences: string[]): AppError => new AppError('validation_error', sentences.join(' '))

function rejected(name: string, value: string | undefined, rule: string): string {
  const shown = value === undefined || isSecret(name) ? '' : ` is ${quoted(value)} and`
  return `${name}${shown} ${rule}.`
}

/** A value in quotes on one line, with escapes for control characters and without the password of an address. */
function quoted(value: string): string {
  const safe = value.replace(/\/\/[^/@]*@/, '//…@')
  const escaped = (char: string) => `\\u00${char.charCodeAt(0).toString(16)}`
  return JSON.stringify(shortened(safe, maxShownChars)).replace(/[\u007f-\u009f]/g, escaped)
}
