/** Content and titles are untrusted. None of their lines may look like a line of the answer around them. */
const ours = /^(?:-{32}\s*$|Source:)/
/** Stored content has none, because `visibleText` removes them. */
const otherLineEnd = /\r\n?|(?![\t\n])[\p{Cc}\u2028\u2029]/gu
const fencePattern = /^( {0,3})(?:(`{3,})[^`]*$|(~{3,}))/

/**
 * Markdown without a line that equals the separator of a text answer or begins like its source line. Such a line becomes a quotation. Around code,
 * the whole fence is indented by one space, which is not part of the code. An open fence is closed. Other content stays the same.
 */
export function escapeContent(content: string): string {
  const lines = content.replace(otherLineEnd, '\n').split('\n')
  const escaped: string[] = []
  let inside: string[] = []
  let fence: Fence | undefined
  for (const line of lines) {
    if (fence === undefined) {
      fence = fenceOf(line)
      if (fence) inside = [line]
      else escaped.push(ours.test(line) ? `> ${line}` : line)
      continue
    }
    inside.push(line)
    if (!closes(line, fence.marks)) continue
    escaped.push(...escapeFence(inside, fence))
    fence = undefined
  }
  if (fence) escaped.push(...escapeFence([...inside, fence.marks], fence))
  return escaped.join('\n')
}

type Fence = { indent: string; marks: string }

function fenceOf(line: string): Fence | undefined {
  const [, indent = '', ticks, tildes] = fencePattern.exec(line) ?? []
  const marks = ticks ?? tildes
  return marks === undefined ? undefined : { indent, marks }
}

function closes(line: string, marks: string): boolean {
  const closing = line.replace(/^ {0,3}/, '').trimEnd()
  return closing.length >= marks.length && closing === marks.charAt(0).repeat(closing.length)
}

/** A fence takes from each line at most as many spaces as it has itself. */
function escapeFence(lines: string[], { indent }: Fence): string[] {
  if (!lines.some((line) => ours.test(line))) return lines
  if (indent !== '') return lines.map((line) => (ours.test(line) ? ` ${line}` : line))
  return lines.map((line, i) => (line === '' ? '' : ` ${i === lines.length - 1 ? line.trim() : line}`))
}

/** A title or address as a part of one line. */
export const escapeTitle = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
