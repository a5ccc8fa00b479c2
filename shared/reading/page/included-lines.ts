import type { Origin } from './page.ts'

/**
 * Numbers for the lines of included files, above those of any page, so that a line is a number while a page is read: Markdown is parsed after
 * its includes are inserted.
 */
export type IncludedLines = {
  /** The number of a line of a file; those of the `count` lines from it follow. */
  numberOf(file: string, line: number, count: number): number
  /** The same with the file and the line of a number. */
  placed<Placed extends Origin>(origin: Placed): Placed
}

/** A file of 10 MB has fewer lines. */
const firstNumber = 2 ** 24

export function includedLines(): IncludedLines {
  const parts: { first: number; file: string; line: number }[] = []
  let next = firstNumber
  return {
    numberOf(file, line, count) {
      const first = next
      parts.push({ first, file, line })
      next += count
      return first
    },
    placed(origin) {
      const part = origin.line < firstNumber ? undefined : partOf(parts, origin.line)
      return part ? { ...origin, file: part.file, line: part.line + origin.line - part.first } : origin
    },
  }
}

/** The last part that begins at a number or before it; parts are in order. */
function partOf<Part extends { first: number }>(parts: Part[], number: number): Part | undefined {
  let [from, to] = [0, parts.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((parts[middle] as Part).first <= number) from = middle + 1
    else to = middle
  }
  return parts[from - 1]
}

/** The 1-based line of the first of some rows in their file, which they may be a part of. */
export function lineOfRows(rows: string[], all: string[]): number {
  const isAt = (row: string, at: number) => (all[at] ?? '').trim().endsWith(row.trim())
  const start = rows.findIndex((row) => row.trim() !== '')
  const few = rows.slice(Math.max(start, 0), start + 3)
  const found = all.findIndex((_, at) => few.every((row, i) => isAt(row, at + i)))
  return found < 0 ? 1 : Math.max(1, found + 1 - start)
}
