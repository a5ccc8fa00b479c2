import type { Line } from '../syntax/line.ts'
import type { Mark } from '../syntax/scope.ts'

/** Takes back marks and their partners. A line that has none left becomes the title or label of its container in bold. */
export function withoutMarks(lines: Line[], unwanted: ReadonlySet<Mark>): Line[] {
  if (unwanted.size === 0) return lines
  const removed = new Set(unwanted)
  for (const [mark, partner] of partnersOf(lines)) if (unwanted.has(mark)) removed.add(partner)
  return lines.map((line) => {
    const left = line.marks?.filter((mark) => !removed.has(mark))
    if (!line.marks || left?.length === line.marks.length) return line
    if (left && left.length > 0) return { ...line, marks: left }
    const titles = line.marks.map(({ scope }) => scope?.title ?? scope?.label).filter(Boolean)
    return { text: titles.length > 0 ? line.text.replace('***', `**${titles.join(' ')}**`) : '', at: line.at }
  })
}

/** Each opening mark with the mark that closes it, and the reverse. */
function partnersOf(lines: Line[]): Map<Mark, Mark> {
  const partners = new Map<Mark, Mark>()
  const open = new Map<string, Mark[]>()
  for (const { marks = [] } of lines) {
    for (const mark of marks) {
      const ofName = open.get(mark.name) ?? []
      open.set(mark.name, ofName)
      const opener = mark.scope ? undefined : ofName.pop()
      if (mark.scope) ofName.push(mark)
      else if (opener) partners.set(opener, mark).set(mark, opener)
    }
  }
  return partners
}
