import { fenceRoles, joinLines, type Line } from './line.ts'
import { parseMdx } from './parse-markdown.ts'
import { isMarkup, readTag } from './tag.ts'

const maxRepairs = 8
/** Characters that repairs may parse again, in one or two seconds: a long page gets fewer repairs. */
const maxRereadChars = 300_000

/** Turns lines with rejected JSX into plain text; undefined if a few repairs do not suffice, or would take too long. */
export function repairMdx(lines: Line[]): Line[] | undefined {
  const roles = fenceRoles(lines)
  const repaired = [...lines]
  const chars = lines.reduce((sum, { text }) => sum + text.length + 1, 0)
  const reads = Math.min(maxRepairs + 1, Math.floor(maxRereadChars / chars))
  for (let read = 0; read < reads; read++) {
    const broken = brokenLine(repaired)
    if (broken === undefined) return repaired
    const line = repaired[broken]
    const text = line && roles[broken] === 'outside' ? withoutJsx(line.text) : line?.text
    if (!line || text === undefined || text === line.text) return undefined
    repaired[broken] = { ...line, text }
  }
  return undefined
}

/** Index of the line where the parser fails; undefined if it succeeds, -1 if it does not name a line. */
function brokenLine(lines: Line[]): number | undefined {
  try {
    parseMdx(joinLines(lines))
    return undefined
  } catch (error) {
    return error instanceof Error && 'line' in error && typeof error.line === 'number' ? error.line - 1 : -1
  }
}

/** Removes the tags of a line and escapes other JSX characters. */
function withoutJsx(text: string): string {
  let out = ''
  // Reading the end of `out` would copy it for each character.
  let before = ''
  for (let i = 0; i < text.length; ) {
    const tag = text[i] === '<' ? readTag(text, i) : undefined
    if (tag && isMarkup(tag, text.charAt(i - 1))) i = tag.end
    else {
      const char = text.charAt(i++)
      out += (char === '<' || char === '{' || char === '}') && before !== '\\' ? `\\${char}` : char
      before = char
    }
  }
  return out
}
