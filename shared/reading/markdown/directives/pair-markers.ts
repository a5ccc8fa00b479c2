import type { FenceRole, Line } from '../syntax/line.ts'
import { readMarker } from './container-marker.ts'

type Opener = { index: number; length: number; mark: string }

/** Openers that one closing line compares with itself. */
const maxCompared = 200

/**
 * Maps each line that opens a `:::` or `///` block to the line that closes it: a run of colons closes the innermost block with as many or fewer,
 * a run of slashes the innermost with as many. An unclosed marker is text.
 */
export function pairMarkers(lines: Line[], roles: FenceRole[]): Map<number, number> {
  const pairs = new Map<number, number>()
  const open: Opener[] = []
  lines.forEach(({ text }, index) => {
    if (roles[index] !== 'outside' || !(text.includes(':::') || text.includes('///'))) return
    const trimmed = text.trim()
    const mark = trimmed.charAt(0)
    const [run = ''] = /^(?::{3,}|\/{3,})/.exec(trimmed) ?? []
    if (run === '') return
    if (run === trimmed) {
      const at = innermost(open, mark, run.length)
      const opener = open[at]
      if (opener) {
        pairs.set(opener.index, index)
        open.length = at
      }
    } else if (readMarker(trimmed)?.body === mark) open.push({ index, length: run.length, mark })
  })
  return pairs
}

function innermost(open: Opener[], mark: string, length: number): number {
  for (let at = open.length - 1; at >= Math.max(0, open.length - maxCompared); at--) {
    const entry = open[at]
    if (entry?.mark === mark && (mark === ':' ? entry.length <= length : entry.length === length)) return at
  }
  return -1
}
