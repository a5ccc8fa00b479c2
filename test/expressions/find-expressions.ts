import { stripTypeScriptTypes } from 'node:module'
import { parse } from 'acorn'

/** A regular expression in the source. `pattern` is undefined if it is put together at run time. */
export type Expression = { file: string; line: number; text: string; pattern?: string; flags: string }

/** Each regex literal and each `RegExp(…)` of one TypeScript file. */
export function findExpressions(file: string, typescript: string): Expression[] {
  const code = stripTypeScriptTypes(typescript)
  const found: Expression[] = []
  const visit = (value: unknown): void => {
    const node = isNode(value) ? value : undefined
    const regex = node && regexOf(node)
    if (node && regex) {
      const line = code.slice(0, node.start).split('\n').length
      found.push({ file, line, text: code.slice(node.start, node.end), ...regex })
    }
    if (node || Array.isArray(value)) for (const child of Object.values(value as object)) visit(child)
  }
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))
  return found
}

type SyntaxNode = {
  type: string
  start: number
  end: number
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
}

const isNode = (value: unknown): value is SyntaxNode => typeof value === 'object' && value !== null && 'type' in value

function regexOf({ regex, callee }: SyntaxNode): Pick<Expression, 'pattern' | 'flags'> | undefined {
  if (regex) return { pattern: regex.pattern, flags: regex.flags }
  return callee?.name === 'RegExp' ? { flags: '' } : undefined
}
