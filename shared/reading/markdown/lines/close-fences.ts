import { closesFence, type Fence, indentOf, type Line, openingFence } from '../syntax/line.ts'

/** Lines that one fence looks ahead. */
const maxAhead = 500

/**
 * Ends fences that their container ends, as parsers of MkDocs and MDX do: one that is indented ends before a line that is indented less, if
 * nothing closes it, another one opens first, or it is only marks and a blank line. An empty one goes.
 */
export function closeFences(lines: Line[]): Line[] {
  const out: Line[] = []
  let open: { fence: Fence; at: number; isEmpty: boolean; isClosed?: boolean } | undefined
  const end = (at: number) => {
    if (!open) return
    const { fence } = open
    if (open.isEmpty) out[open.at] = { ...(out[open.at] as Line), text: '' }
    else {
      const last = out.findLastIndex(({ text }) => text.trim() !== '')
      out.splice(last + 1, 0, { text: ' '.repeat(fence.column) + fence.mark.repeat(fence.length), at })
    }
    open = undefined
  }
  lines.forEach((line, i) => {
    const { text, at } = line
    if (
      open &&
      !open.fence.quoted &&
      text.trim() !== '' &&
      indentOf(text) < open.fence.column &&
      !closesFence(text, open.fence)
    ) {
      open.isClosed ??= isClosedBelow(lines, i, open.fence)
      if (!open.isClosed || (open.isEmpty && open.fence.info === '' && lines[i - 1]?.text.trim() === ''))
        end(lines[i - 1]?.at ?? at)
    }
    if (open && closesFence(text, open.fence)) open = undefined
    else if (open) open.isEmpty &&= text.trim() === ''
    else {
      const fence = openingFence(text)
      if (fence) open = { fence, at: out.length, isEmpty: true }
    }
    out.push(line)
  })
  return out
}

/** True if a fence is closed before another one with an info string opens. */
function isClosedBelow(lines: Line[], from: number, fence: Fence): boolean {
  for (const { text } of lines.slice(from, from + maxAhead)) {
    if (closesFence(text, fence)) return true
    if (openingFence(text)?.info) return false
  }
  return false
}
