import { fenceRoles, indentOf, type Line } from './syntax/line.ts'
import { withoutUnclosed } from './without-unclosed.ts'

const maxDepth = 50
const maxIndent = 100
const rawStart = /<(?:pre|script|style|textarea)\b|<!--/i
const rawEnd = /<\/(?:pre|script|style|textarea)>|-->/i

/** The parser's cost grows with the square of lazy continuation lines (of a list item or quote, without its indentation or mark). */
const maxLazyLines = 200
const containerStart = /^[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])/

/**
 * Changes lines that make the Markdown parser slow or misread a page: extreme nesting, unclosed tags, and fences or headings that HTML in the
 * line above would swallow.
 */
export function prepareMarkdown(sourceLines: Line[]): Line[] {
  const lines = withoutUnclosed(sourceLines)
  const roles = fenceRoles(lines)
  const out: Line[] = []
  let html = false
  let raw = false
  let lazy = -1
  lines.forEach((line, i) => {
    if (roles[i] === 'inside' || roles[i] === 'closing') {
      out.push(line)
      return
    }
    const start = line.text.trimStart()
    if (start === '') html = false
    else if (start.startsWith('<')) html = true
    if (html && !raw && (roles[i] === 'opening' || /^#{1,6}\s/.test(start))) {
      out.push({ text: '', at: line.at })
      html = false
    }
    if (raw ? rawEnd.test(start) : html && rawStart.test(start)) raw = !raw && !rawEnd.test(start)
    if (start === '') lazy = -1
    else if (containerStart.test(line.text)) lazy = Math.max(lazy, 0)
    else if (lazy >= 0 && ++lazy % maxLazyLines === 0) out.push({ text: '', at: line.at })
    out.push(roles[i] === 'outside' ? flattened(line) : line)
  })
  return out
}

/** Limits a line to 50 list and quote marks at its start, and a list item to 100 columns of indentation. */
function flattened(line: Line): Line {
  const first = line.text.charCodeAt(0)
  if (first !== 32 && first !== 9 && !'>-*+0123456789'.includes(line.text.charAt(0))) return line
  const mark = /[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y
  let depth = 0
  let end = 0
  let kept = 0
  while (mark.test(line.text)) {
    end = mark.lastIndex
    if (++depth === maxDepth) kept = end
  }
  if (depth > maxDepth) return { ...line, text: line.text.slice(0, kept) + line.text.slice(end) }
  const indent = depth > 0 ? indentOf(line.text) : 0
  return indent > maxIndent ? { ...line, text: ' '.repeat(maxIndent) + line.text.trimStart() } : line
}
