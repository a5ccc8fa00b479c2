import { fenceRoles, type Line } from './line.ts'

/** Takes the parser about 0.3 s. */
const maxReread = 4_000_000

/**
 * Whether the MDX parser would take too long. It parses an expression again from its first character at each closing brace, and a module
 * statement at each blank line, so the cost of nesting and long literals grows with the square of their length. This is an estimate that
 * includes brackets in strings.
 */
export function isCostlyMdx(lines: Line[]): boolean {
  const roles = fenceRoles(lines)
  let isModule = false
  let depth = 0
  let length = 0
  let reread = 0
  for (const [i, { text }] of lines.entries()) {
    if (roles[i] !== 'outside') continue
    if (depth === 0) isModule = /^(?:import|export)\s/.test(text)
    const brackets = isModule ? moduleBrackets : braces
    if (isModule && text.trim() === '') reread += length
    if (depth === 0 && !isModule && !text.includes('{')) continue
    let closed = 0
    for (const char of text.replace(/`+[^`]*`+|\\[{}]/g, '')) {
      if (depth > 0) length += 1
      if (brackets.open.has(char)) depth += 1
      else if (brackets.close.has(char)) {
        closed += 1
        depth = Math.max(depth - 1, 0)
        if (depth === 0) length = 0
        else if (!isModule) reread += length
      }
    }
    if (reread > maxReread || (!isModule && closed * text.length > maxReread)) return true
  }
  return false
}

const braces = { open: new Set('{'), close: new Set('}') }
const moduleBrackets = { open: new Set('([{'), close: new Set(')]}') }
