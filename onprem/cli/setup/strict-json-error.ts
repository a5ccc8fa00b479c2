import { type ParseError, parseTree } from 'jsonc-parser'

/**
 * The part of a file that a parser of strict JSON rejects although it is valid with comments, as the end of a sentence. Undefined
 * if there is none.
 */
export function strictJsonError(text: string): string | undefined {
  if (text.startsWith('\uFEFF')) return 'begins with a byte order mark'
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: true })
  const [error] = errors
  if (!error) return undefined
  return `has a comment or a trailing comma (line ${text.slice(0, error.offset).split('\n').length})`
}
