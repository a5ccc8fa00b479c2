import type { Piece } from '../page/build-page.ts'
import { prose } from '../page/compose-blocks.ts'
import { type Cell, headedTable } from '../page/table-blocks.ts'
import type { Directive } from './directive.ts'
import { dedent, endOfIndented, itemBody, type Lines, lineAt } from './lines.ts'
import { delimiterOf, parseCsv } from './parse-csv.ts'
import { readIncluded } from './read-included.ts'
import { rstInline } from './rst-inline.ts'
import { type BlockReader, type RstState, readBody } from './rst-state.ts'

type Row = string[][]

/** A table drawn with `+---+`. A cell that spans rows or columns is placed in the first one. */
export const readGridTable: BlockReader = (lines, at, state) => {
  const border = lines.text[at] ?? ''
  if (!/^\+[-+]+\+$/.test(border)) return undefined
  let next = at
  while (/^[+|]/.test(lines.text[next] ?? '')) next++
  if (next < at + 3) return undefined
  const rows = lines.text.slice(at, next)
  const edges = [...new Set(rows.filter((row) => /^\+[-=+|]/.test(row)).flatMap((row) => plusesOf(row)))].sort((a, b) => a - b)
  if (edges.length > 200) return undefined
  const table: Row[] = []
  let head = 0
  let row: Row = []
  for (const text of rows) {
    const isRule = /^\+[-=]|[-=]\+$/.test(text)
    const cells = sliceAt(text, edges, isRule)
    if (isRule) {
      if (row.length > 0) table.push(row)
      if (/^\+=[=+]+$/.test(text)) head = table.length
      row = []
    }
    cells.forEach((cell, column) => {
      if (cell === undefined) return
      row[column] = [...(row[column] ?? []), cell]
    })
  }
  if (row.length > 0) table.push(row)
  return { pieces: printTable(table, head, lineAt(lines, at), lines.step, state), next }
}

const plusesOf = (row: string): number[] => [...row.matchAll(/\+/g)].map(({ index }) => index)

/** Text between the edges; undefined for a column that another cell spans, and for a rule. */
function sliceAt(row: string, edges: number[], isRule: boolean): (string | undefined)[] {
  const cells: (string | undefined)[] = []
  let from = 0
  let column = 0
  for (let edge = 1; edge < edges.length; edge++) {
    const at = edges[edge] ?? row.length
    if (!/[|+]/.test(row[at] ?? '|')) continue
    const text = row.slice((edges[from] ?? 0) + 1, at)
    cells[column] = isRule && /^[-=+]*$/.test(text) ? undefined : text.trimEnd()
    from = edge
    column = edge
  }
  return cells
}

/** A table drawn with `===  ===`. A row with a blank first column continues the row above. */
export const readSimpleTable: BlockReader = (lines, at, state) => {
  const border = lines.text[at] ?? ''
  if (!/^=+(?: +=+)+$/.test(border)) return undefined
  const isBorder = (row: string) => /^=+(?: +=+)+$/.test(row)
  let next = at + 1
  let borders = 1
  let head = 0
  const starts = [...border.matchAll(/=+/g)].map(({ index }) => index)
  const table: Row[] = []
  for (; next < lines.text.length && borders < 3; next++) {
    const text = lines.text[next] ?? ''
    if (isBorder(text)) {
      const below = lines.text[next + 1] ?? ''
      if (borders === 1 && below !== '') head = table.length
      borders++
      if (below === '' || borders === 3) {
        next++
        break
      }
    } else if (!/^-+(?: +-+)*$/.test(text)) addRow(table, text, starts)
  }
  return { pieces: printTable(table, head, lineAt(lines, at), lines.step, state), next }
}

function addRow(table: Row[], text: string, starts: number[]): void {
  const crosses = starts.some((start) => start > 0 && (text[start - 1] ?? ' ') !== ' ')
  const cells = crosses ? [text] : starts.map((start, column) => text.slice(start, starts[column + 1]).trimEnd())
  const last = table.at(-1)
  if (cells[0] !== '' || !last) table.push(cells.map((cell) => [cell]))
  else for (const [column, cell] of cells.entries()) last[column]?.push(cell)
}

function printTable(table: Row[], head: number, line: number, step: 0 | 1, state: RstState): Piece[] {
  const rows = table.map((row) =>
    Array.from(row, (cell = []) => readCell(dedent({ text: cell, line, step }, 0, cell.length), state)),
  )
  return headedTable(rows, head, line)
}

const readCell = (lines: Lines, state: RstState): Cell => readBody(lines, state).filter((piece) => piece.kind !== 'heading')

/** A list of lists, one per row. */
export function readListTable({ argument, options, body, line }: Directive, state: RstState): Piece[] {
  const rows = itemsOf(body).map((row) => itemsOf(row).map((cell) => readCell(cell, state)))
  const head = Number.parseInt(options.get('header-rows') ?? '0', 10) || 0
  return [...caption(argument, line, state), ...headedTable(rows, head, line)]
}

function itemsOf(lines: Lines): Lines[] {
  const items: Lines[] = []
  for (let at = 0; at < lines.text.length; at++) {
    if (!/^[-*+]( |$)/.test(lines.text[at] ?? '')) continue
    const end = endOfIndented(lines, at + 1)
    items.push(itemBody(lines, at, end, 2, 2))
    at = end - 1
  }
  return items
}

/** Comma-separated rows, in the body or in a file of the repository. */
export function readCsvTable({ argument, options, body, line }: Directive, state: RstState): Piece[] {
  const file = options.get('file')
  const text = file === undefined ? body.text.join('\n') : (readIncluded(file, state)?.text ?? '')
  const delimiter = delimiterOf(options)
  const read = (rows: string[][]): Cell[][] =>
    rows.map((row) => row.map((cell) => readCell({ text: cell.split('\n'), line, step: 0 }, state)))
  const head = read(parseCsv(options.get('header') ?? '', delimiter))
  const headRows = Number.parseInt(options.get('header-rows') ?? '0', 10) || 0
  return [
    ...caption(argument, line, state),
    ...headedTable([...head, ...read(parseCsv(text, delimiter))], head.length + headRows, line),
  ]
}

function caption(argument: string[], line: number, state: RstState): Piece[] {
  return argument.length === 0 ? [] : prose(`**${rstInline(argument.join(' '), state.names)}**`, line)
}
