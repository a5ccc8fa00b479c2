import { AppError } from '../../shared/errors.ts'

const maxCauses = 3
const maxMessageChars = 500
const maxFrames = 12

type RedactedError = { name: string; code?: unknown; message?: string; frames: string[]; cause?: RedactedError }

/**
 * An error as a person far away may see it: what parsers and stores say may repeat the text that they choke on, so their messages are
 * left out, and so is what a message of ours repeats of others.
 */
export function redactError(error: unknown, depth = 0): RedactedError {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  const code = 'code' in error ? { code: error.code } : {}
  const message = tellsNothing(error) ? {} : { message: redactQuotes(error.message).slice(0, maxMessageChars) }
  const cause = error.cause === undefined || depth === maxCauses ? {} : { cause: redactError(error.cause, depth + 1) }
  return { name: error.name, ...code, ...message, frames: framesOf(error), ...cause }
}

/** A text without what stands between its first and its last quotation mark, or backtick, of a line, and what a provider says behind its status. */
export const redactQuotes = (text: string): string =>
  text
    .replace(/".*"/g, '"…"')
    .replace(/`.*`/g, '`…`')
    .replace(/(\(\d{3}\): ).*/g, '$1…')

/** All but errors of ours, of the operating system and of SQLite, which name no content. */
const tellsNothing = (error: Error): boolean => !(error instanceof AppError) && !('syscall' in error) && !('errcode' in error)

const framesOf = ({ stack = '' }: Error): string[] =>
  stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at .{1,300}$/.test(line))
    .slice(0, maxFrames)
