import { Option } from 'commander'
import { printAnswer, printRemark } from './print.ts'

type Cell = string | number | boolean | null | undefined
/** Titles, each with the function that makes the cell of a row. */
export type Columns<Row> = Record<string, (row: Row) => Cell>

/** Every command that prints a list has this option. */
export const jsonOption = (): Option => new Option('--json', 'print one JSON document')

/**
 * Prints `rows` as one JSON document, or as a table: aligned and with titles on a terminal, else a tab-separated line per row without its
 * empty last cells. `none` is the remark about an empty list on a terminal.
 */
export function printList<Row>(
  columns: Columns<Row>,
  rows: readonly Row[],
  { json = false, none }: { json?: boolean | undefined; none?: string } = {},
): void {
  const cells = rows.map((row) => Object.values(columns).map((cell) => shown(cell(row))))
  if (json) printAnswer(JSON.stringify(rows, null, 2))
  else if (!process.stdout.isTTY) print(cells.map((line) => withoutEmptyEnd(line).join('\t')))
  else if (rows.length > 0) print(tableOf([Object.keys(columns).map((title) => title.toUpperCase()), ...cells]))
  else if (none !== undefined) printRemark(none)
}

/** Prints the fields of one thing: aligned on a terminal, else a tab-separated line per field. */
export function printFields(fields: Record<string, Cell>, { json = false }: { json?: boolean | undefined } = {}): void {
  const cells = Object.entries(fields).map(([name, value]) => [name, shown(value)])
  if (json) printAnswer(JSON.stringify(fields, null, 2))
  else print(process.stdout.isTTY ? tableOf(cells) : cells.map((line) => line.join('\t')))
}

/** Aligns the columns of a table, in which each line has the same number of cells. */
export function tableOf(lines: string[][]): string[] {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? '')))) ?? []
  const padded = (cell: string, column: number) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)))
  return lines.map((line) => line.map(padded).join('  ').trimEnd())
}

const print = (lines: string[]): void => {
  for (const line of lines) printAnswer(line)
}

const withoutEmptyEnd = (line: string[]): string[] => line.slice(0, line.findLastIndex((cell) => cell !== '') + 1)

/** Control characters could break the table, or change the terminal. */
const shown = (cell: Cell): string => String(cell ?? '').replaceAll(/\p{Cc}+/gu, ' ')

const graphemes = new Intl.Segmenter('en')
const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u

/** Columns that a text takes on a terminal. */
const widthOf = (text: string): number =>
  Array.from(graphemes.segment(text)).reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0)
