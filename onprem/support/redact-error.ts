import { AppError } from '../../shared/errors.ts'
import { isExpected } from '../../shared/logging/logged-error.ts'

const maxCauses = 3
const maxMessageChars = 500
const maxFrames = 12

type RedactedError = { name: string; code?: unknown; message?: string; frames?: string[]; cause?: RedactedError }

/**
 * An error without content, for logs and the support bundle. Messages of parsers and stores can quote the text that they failed on, so they
 * are omitted. Quotations in our own messages are removed. Only bugs have stack frames.
 */
export const redactError = (error: unknown): RedactedError => redact(error, isExpected(error), 0)

function redact(error: unknown, expected: boolean, depth: number): RedactedError {
  if (!(error instanceof Error)) return { name: typeof error }
  const code = 'code' in error ? { code: error.code } : {}
  const message = mayQuote(error) ? {} : { message: redactQuotes(error.message).slice(0, maxMessageChars) }
  const cause = error.cause === undefined || depth === maxCauses ? {} : { cause: redact(error.cause, expected, depth + 1) }
  return { name: error.name, ...code, ...message, ...(expected ? {} : { frames: framesOf(error) }), ...cause }
}

/** Removes the text between the first and the last quotation mark or backtick of each line, and the message after the status of a provider. */
export const redactQuotes = (text: string): string =>
  text
    .replace(/".*"/g, '"…"')
    .replace(/`.*`/g, '`…`')
    .replace(/(\(\d{3}\): ).*/g, '$1…')

/** True except for AppErrors and errors of the operating system and of SQLite, which quote no content. */
const mayQuote = (error: Error): boolean => !(error instanceof AppError) && !('syscall' in error) && !('errcode' in error)

const framesOf = ({ stack = '' }: Error): string[] =>
  stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at .{1,300}$/.test(line))
    .slice(0, maxFrames)
