import { fenceRoles, type Line } from './syntax/line.ts'

const kinds = [
  { open: /^\s{0,3}<script\b[^>]{0,500}>?/i, close: /<\/script\s{0,20}>/i },
  { open: /^\s{0,3}<style\b[^>]{0,500}>?/i, close: /<\/style\s{0,20}>/i },
  { open: /^\s{0,3}<!--/, close: /-->/ },
]

/** Removes unclosed tags of scripts, styles and comments: the parser would swallow all that follows them. */
export function withoutUnclosed(lines: Line[]): Line[] {
  if (!lines.some(({ text }) => kinds.some(({ open }) => open.test(text)))) return lines
  const roles = fenceRoles(lines)
  const out = [...lines]
  const closed = kinds.map(() => false)
  for (let i = lines.length - 1; i >= 0; i--) {
    kinds.forEach(({ open, close }, kind) => {
      const line = out[i]
      if (!line || closed[kind]) return
      if (close.test(line.text)) closed[kind] = true
      else if (roles[i] === 'outside') out[i] = { ...line, text: line.text.replace(open, '') }
    })
  }
  return out
}
