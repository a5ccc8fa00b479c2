import type { Line } from '../syntax/line.ts'

const maxTagLines = 20
/** Each asks for blank lines around it, or Markdown takes it for a part of the HTML above. */
const block = /^<\/?(?:tabs|tab|tip|note|warning|chapter|procedure|step|snippet)\b/

/** Lines of a `.topic`, which is XML, as HTML in Markdown: without indentation, which would make them code. */
export function topicLines(lines: Line[]): Line[] {
  let isCode = false
  return lines.flatMap((line) => {
    const text = isCode ? line.text : line.text.trim()
    const start = line.text.lastIndexOf('<code-block')
    const isBlock = !isCode && (start >= 0 || block.test(text))
    isCode = isCode || start >= 0 ? !line.text.includes('</code-block>') && !line.text.includes('/>', start) : false
    if (isCode && start < 0) return [{ ...line, text }]
    const html = text.replaceAll(/<(\/?)list\b/g, '<$1ul')
    return isBlock
      ? [
          { text: '', at: line.at },
          { ...line, text: html },
        ]
      : [{ ...line, text: html }]
  })
}

/** Variables inside an `<include>` move in front of it, so that they are known when its text follows. */
export function variablesFirst(lines: Line[]): Line[] {
  if (!lines.some(({ text }) => text.trimStart().startsWith('<include '))) return lines
  const out: Line[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as Line
    const isOpen = line.text.trimStart().startsWith('<include ') && /[^/]>\s*$/.test(line.text)
    const count = isOpen ? lines.slice(i + 1, i + maxTagLines).findIndex(({ text }) => text.trim() === '</include>') : -1
    if (count < 0) out.push(line)
    else {
      out.push(...lines.slice(i + 1, i + 1 + count), line)
      i += count + 1
    }
  }
  return out
}
