import { AppError } from '../../shared/errors.ts'

const mostCauses = 3
const mostMessageChars = 500
const mostFrames = 12

type ToldError = { name: string; code?: unknown; message?: string; frames: string[]; cause?: ToldError }

/**
 * An error as a person far away may see it: what parsers and stores say may repeat the text that they choke on, so their messages are
 * left out, and so is what a message of ours repeats of others.
 */
export function tellError(error: unknown, depth = 0): ToldError {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  const code = 'code' in error ? { code: error.code } : {}
  const message = tellsNothing(error) ? {} : { message: withoutQuotes(error.message).slice(0, mostMessageChars) }
  const cause = error.cause === undefined || depth === mostCauses ? {} : { cause: tellError(error.cause, depth + 1) }
  return { name: error.name, ...code, ...message, frames: framesOf(error), ...cause }
}

/** A text without what stands between its first and its last quotation mark, or backtick, of a line, and what a provider says behind its status. */
export const withoutQuotes = (text: string): string =>
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
    .slice(0, mostFrames)
