import { closesFence, type Fence, indentOf, type Line, openingFence } from '../syntax/line.ts'

/** That of the shortest list item. */
const minColumn = 2

/**
 * Indents the code of a fence as far as the fence itself, if code and end are indented less: else the parser ends the code with the list item that
 * the fence is in, and reads comments of the code as headings.
 */
export function indentFences(lines: Line[]): Line[] {
  const out = [...lines]
  let open: { fence: Fence; at: number; first?: number; least: number } | undefined
  lines.forEach(({ text }, at) => {
    const fence = open ? undefined : openingFence(text)
    if (fence) open = { fence, at, least: Number.POSITIVE_INFINITY }
    else if (open && closesFence(text, open.fence)) {
      const { fence, first = fence.column, least } = open
      const isLess = fence.column >= minColumn && first < fence.column && indentOf(text) < fence.column
      if (isLess && !fence.quoted) indentBetween(out, open.at + 1, at, { missing: fence.column - least, column: fence.column })
      open = undefined
    } else if (open && text.trim() !== '') {
      open.first ??= indentOf(text)
      open.least = Math.min(open.least, indentOf(text))
    }
  })
  return out
}

function indentBetween(out: Line[], from: number, to: number, { missing, column }: { missing: number; column: number }): void {
  for (let at = from; at <= to; at++) {
    const line = out[at] as Line
    const text = at === to ? ' '.repeat(column) + line.text.trimStart() : ' '.repeat(missing) + line.text
    out[at] = { ...line, text: text.trim() === '' ? '' : text }
  }
}
