/** A run of lines of a file, without the indentation of what holds them. */
export type Lines = {
  text: string[]
  /** Line of the first one in the page's file. */
  line: number
  /** 0 where all stand for the one line that included them. */
  step: 0 | 1
}

const tabWidth = 8

/** Lines as docutils reads them: tabs become spaces, what trails is cut. */
export function toLines(text: string, line = 1, step: 0 | 1 = 1): Lines {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\f\v]/g, ' ')
  return { text: plain.split('\n').map((row) => expandTabs(row).trimEnd()), line, step }
}

export const lineAt = (lines: Lines, index: number): number => lines.line + index * lines.step

/** Leading spaces, counted no further than `most`. */
export function indentOf(row: string, most = Number.POSITIVE_INFINITY): number {
  let indent = 0
  while (indent < most && row[indent] === ' ') indent++
  return indent
}

/** Where the rows end that are blank or indented, blank rows at the end not counted. */
export function endOfIndented(lines: Lines, from: number): number {
  let end = from
  for (let index = from; index < lines.text.length; index++) {
    const row = lines.text[index] ?? ''
    if (row !== '' && !row.startsWith(' ')) break
    if (row !== '') end = index + 1
  }
  return end
}

/** Where the rows end that no blank one parts. */
export function endOfText(lines: Lines, from: number): number {
  let end = from
  while (end < lines.text.length && lines.text[end] !== '') end++
  return end
}

/** Rows `from` to `to`, less their common indentation, or less `most` of it. */
export function dedent(lines: Lines, from: number, to: number, most = Number.POSITIVE_INFINITY): Lines {
  const rows = lines.text.slice(from, to)
  const indent = rows.reduce((least, row) => (row === '' ? least : indentOf(row, least)), most)
  const cut = Number.isFinite(indent) ? indent : 0
  return { text: rows.map((row) => row.slice(cut)), line: lineAt(lines, from), step: lines.step }
}

/** The body of an item: what stands behind a marker of `width` characters, and the rows below less `most` indentation. */
export function itemBody(lines: Lines, from: number, to: number, width: number, most = Number.POSITIVE_INFINITY): Lines {
  const rest = dedent(lines, from + 1, to, most)
  return { text: [(lines.text[from] ?? '').slice(width).trimStart(), ...rest.text], line: lineAt(lines, from), step: lines.step }
}

/** The rows as one text, without blank ones at the edges. */
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
