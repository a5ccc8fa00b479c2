import { fenceRoles, type Line } from '../syntax/line.ts'

const opener = /^:{3,}[ \t]*(?:\{[^{}]*\}|[\w-]+)/
const tabset = /^:{3,}[ \t]*\{[^{}]*\.(?:panel-)?tabset\b[^{}]*\}/
const heading = /^(#{1,6})[ \t]+(.*?)(?:[ \t]*\{[^{}]*\})?$/
const maxLength = 1000

/** An open `::: {.panel-tabset}`: `depth` counts the blocks around it, `level` is that of its tabs' headings. */
type Tabset = { depth: number; level: number }

/** Rewrites the headings in a tabset of Quarto, which are its tabs, as `:::{tab-item}` blocks. */
export function rewriteTabsets(lines: Line[]): Line[] {
  if (!lines.some(({ text }) => text.length <= maxLength && tabset.test(text.trim()))) return lines
  const roles = fenceRoles(lines)
  const out: Line[] = []
  const open: Tabset[] = []
  let depth = 0
  lines.forEach((line, i) => {
    const { at } = line
    const text = roles[i] === 'outside' && line.text.length <= maxLength ? line.text.trim() : ''
    const last = open.at(-1)
    const [, marks = '', label = ''] = (last?.depth === depth && heading.exec(text)) || []
    if (last && marks !== '' && (last.level === 0 || last.level === marks.length)) {
      if (last.level > 0) out.push({ text: ':::', at })
      last.level = marks.length
      out.push({ text: `:::{tab-item} ${label}`, at })
      return
    }
    if (opener.test(text)) {
      depth += 1
      if (tabset.test(text)) open.push({ depth, level: 0 })
    } else if (/^:{3,}$/.test(text)) {
      if (last?.depth === depth) {
        if (last.level > 0) out.push({ text: ':::', at })
        open.pop()
      }
      depth = Math.max(0, depth - 1)
    }
    out.push(line)
  })
  return out
}
