import type { FenceRole, Line } from '../syntax/line.ts'

/** A cell of an HTML table; `lines` hold Markdown or HTML. */
export type HtmlCell = { lines: Line[]; isHead: boolean; columns: number; rows: number }
/** `last` is the index of the line that closes the table, `rest` the text after it. */
export type HtmlTable = { caption: Line[]; rows: HtmlCell[][]; last: number; rest: string }

type Tag = { name: string; closes: boolean; attributes: string }
type Part = ({ text: string; startsLine: boolean } | { tag: Tag; rest: string }) & { at: number; index: number }

const maxCells = 20_000
const tagPattern = /<(\/?)(table|tr|t[dh]|caption|pre)\b([^<>]*)>/gi

/** Reads the HTML table that starts at a line. A table in a cell becomes text. Undefined if the table is not closed. */
export function readHtmlTable(lines: Line[], roles: FenceRole[], start: number): HtmlTable | undefined {
  const caption: Line[] = []
  const rows: HtmlCell[][] = []
  let depth = 0
  let cells = 0
  let target: Line[] | undefined
  for (const part of partsOf(lines, roles, start)) {
    if ('text' in part) {
      append(target, part.text, part.at, part.startsLine)
      continue
    }
    const { name, closes, attributes } = part.tag
    if (name === 'table') depth += closes ? -1 : 1
    if (depth === 0) return { caption, rows, last: part.index, rest: part.rest }
    if (depth > 1 || (name === 'table' && closes)) {
      if (!closes && name !== 'table') append(target, separator(target, name), part.at, false)
      continue
    }
    target = undefined
    if (closes || name === 'table') continue
    if (name === 'caption') target = caption
    else if (name === 'tr') rows.push([])
    else {
      const cell = { lines: [], isHead: name === 'th', columns: span(attributes, 'col'), rows: span(attributes, 'row') }
      if (rows.length === 0) rows.push([])
      rows.at(-1)?.push(cell)
      target = cell.lines
      if (++cells > maxCells) return undefined
    }
  }
  return undefined
}

/** Tags of tables and the text between them. Tags in code are text. */
function* partsOf(lines: Line[], roles: FenceRole[], start: number): Generator<Part> {
  let inCode = false
  for (let index = start; index < lines.length; index++) {
    const { text, at } = lines[index] as Line
    let from = 0
    for (const match of roles[index] === 'outside' ? text.matchAll(tagPattern) : []) {
      const [all, slash, written = '', attributes = ''] = match
      const tag = { name: written.toLowerCase(), closes: slash === '/', attributes }
      if (tag.name === 'pre') inCode = !tag.closes
      if (tag.name === 'pre' || inCode) continue
      if (match.index > from) yield { text: text.slice(from, match.index), startsLine: from === 0, at, index }
      from = match.index + all.length
      yield { tag, rest: text.slice(from), at, index }
    }
    if (from === 0 || from < text.length) yield { text: text.slice(from), startsLine: from === 0, at, index }
  }
}

function append(target: Line[] | undefined, text: string, at: number, startsLine: boolean): void {
  const last = target?.at(-1)
  if (last && !startsLine) last.text += text
  else target?.push({ text, at })
}

/** Between the cells and rows of a table in a cell. */
function separator(target: Line[] | undefined, name: string): string {
  const before = target?.at(-1)?.text.trimEnd() ?? ''
  if (before === '' || /[:;]$/.test(before)) return ''
  return name === 'tr' ? '; ' : ', '
}

/** Accepts JSX too: `rowSpan={2}`. */
const span = (attributes: string, kind: 'row' | 'col'): number =>
  Number(new RegExp(`\\b${kind}span\\s{0,5}=\\s{0,5}[{"']{0,2}\\s{0,3}(\\d{1,4})`, 'i').exec(attributes)?.[1] ?? 1)
