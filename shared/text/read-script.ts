import type { Token } from 'acorn'

/** The tokens of a program, with the index of the closing bracket for each opening one. Brackets that are not closed end with the program. */
export type Script = { tokens: ScriptToken[]; closing: Map<number, number> }

/** `type`: the label of acorn. `newline`: a line end precedes the token. */
export type ScriptToken = { type: string; value: string; newline: boolean }

const opening = new Set(['{', '${', '(', '['])
const closers = new Set(['}', ')', ']'])

/**
 * Reads the tokens of JavaScript or TypeScript up to the first that is invalid. Nothing is executed. Tokens suffice for the values of literals,
 * they need no recursion, and TypeScript has the same ones.
 */
export async function readScript(source: string): Promise<Script> {
  const { tokenizer } = await import('acorn')
  const tokens: ScriptToken[] = []
  const closing = new Map<number, number>()
  const open: number[] = []
  let end = 0
  try {
    const read: Iterable<Token & { value?: unknown }> = tokenizer(source, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowHashBang: true,
    })
    for (const token of read) {
      const type = token.type.label
      if (opening.has(type)) open.push(tokens.length)
      else if (closers.has(type)) {
        const at = open.pop()
        if (at !== undefined) closing.set(at, tokens.length)
      }
      tokens.push({ type, value: String(token.value ?? ''), newline: source.slice(end, token.start).includes('\n') })
      end = token.end
    }
  } catch {
    // The tokens before an invalid one can be read.
  }
  for (const at of open) closing.set(at, tokens.length)
  return { tokens, closing }
}
