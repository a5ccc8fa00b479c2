/** A run of lines of a file, without the indentation of their parent. */
export type Lines = {
  text: string[]
  /** Line of the first one in the page's file. */
  line: number
  /** 0 if all lines have the number of the line that included them. */
  step: 0 | 1
}

const tabWidth = 8

/** Splits text as docutils does: tabs become spaces, trailing space is removed. */
export function toLines(text: string, line = 1, step: 0 | 1 = 1): Lines {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\f\v]/g, ' ')
  return { text: plain.split('\n').map((row) => expandTabs(row).trimEnd()), line, step }
}

export const lineAt = (lines: Lines, index: number): number => lines.line + index * lines.step

/** Number of leading spaces, at most `max`. */
export function indentOf(row: string, max = Number.POSITIVE_INFINITY): number {
  let indent = 0
  while (indent < max && row[indent] === ' ') indent++
  return indent
}

/** End of the blank or indented rows from `from`, without trailing blank rows. */
export function endOfIndented(lines: Lines, from: number): number {
  let end = from
  for (let index = from; index < lines.text.length; index++) {
    const row = lines.text[index] ?? ''
    if (row !== '' && !row.startsWith(' ')) break
    if (row !== '') end = index + 1
  }
  return end
}

/** Index of the next blank row, or the end. */
export function endOfText(lines: Lines, from: number): number {
  let end = from
  while (end < lines.text.length && lines.text[end] !== '') end++
  return end
}

/** Rows `from` to `to` without their common indentation, or without at most `max` of it. */
export function dedent(lines: Lines, from: number, to: number, max = Number.POSITIVE_INFINITY): Lines {
  const rows = lines.text.slice(from, to)
  const indent = rows.reduce((min, row) => (row === '' ? min : indentOf(row, min)), max)
  const cut = Number.isFinite(indent) ? indent : 0
  return { text: rows.map((row) => row.slice(cut)), line: lineAt(lines, from), step: lines.step }
}

/** The body of an item: the text after a marker of `width` characters, and the rows below without at most `max` of their indentation. */
export function itemBody(lines: Lines, from: number, to: number, width: number, max = Number.POSITIVE_INFINITY): Lines {
  const rest = dedent(lines, from + 1, to, max)
  return { text: [(lines.text[from] ?? '').slice(width).trimStart(), ...rest.text], line: lineAt(lines, from), step: lines.step }
}

/** The rows as one text, without blank rows at its ends. */
export function textOf(lines: Lines): string {
  const filled = (row: string) => row !== ''
  return lines.text.slice(lines.text.findIndex(filled), lines.text.findLastIndex(filled) + 1).join('\n')
}

function expandTabs(row: string): string {
  if (!row.includes('\t')) return row
  let out = ''
  let column = 0
  for (const part of row.split(/(\t)/)) {
    const piece = part === '\t' ? ' '.repeat(tabWidth - (column % tabWidth)) : part
    out += piece
    column += piece.length
  }
  return out
}
