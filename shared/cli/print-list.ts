import { Option } from 'commander'
import { timeAgo } from '../time/time-ago.ts'
import { type Colour, coloured, printAnswer, printRemark } from './print.ts'

/** On a terminal, a time is its distance from now, and a text can have a colour. A pipe gets the ISO time and the plain text. */
type Cell = string | number | boolean | null | undefined | { time: string } | { text: string; colour: Colour }
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
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)))
  if (json) printAnswer(JSON.stringify(rows, null, 2))
  else if (!process.stdout.isTTY) print(cells.map((line) => withoutEmptyEnd(line.map(shown)).join('\t')))
  else if (rows.length > 0)
    printTable([Object.keys(columns).map((title) => ({ text: title.toUpperCase(), colour: 'dim' })), ...cells])
  else if (none !== undefined) printRemark(none)
}

/** Prints the fields of one thing: aligned on a terminal, else a tab-separated line per field. */
export function printFields<Fields extends Record<string, Cell>>(
  fields: Fields,
  { json = false }: { json?: boolean | undefined } = {},
): void {
  if (json) printAnswer(JSON.stringify(fields, null, 2))
  else if (process.stdout.isTTY) printTable(Object.entries(fields).map(([text, value]) => [{ text, colour: 'dim' }, value]))
  else print(Object.entries(fields).map(([name, value]) => `${name}\t${shown(value)}`))
}

function printTable(lines: Cell[][]): void {
  const now = Date.now()
  const texts = lines.map((line) => line.map((cell) => (hasTime(cell) ? shownAgo(cell.time, now) : shown(cell))))
  tableOf(texts, (text, row, column) => {
    const cell = lines[row]?.[column]
    return hasColour(cell) ? coloured(cell.colour, text) : text
  }).forEach(writeLine)
}

const english = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

function shownAgo(time: string, now: number): string {
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? shown(time) : timeAgo(ms, now, english)
}

const hasTime = (cell: Cell): cell is { time: string } => typeof cell === 'object' && cell !== null && 'time' in cell
const hasColour = (cell: Cell): cell is { text: string; colour: Colour } =>
  typeof cell === 'object' && cell !== null && 'colour' in cell

/** Its cells have no control characters but those of colours. */
const writeLine = (line: string): void => void process.stdout.write(`${line}\n`)

/** Aligns the columns of a table, in which each line has the same number of cells. `paint` may add what takes no place on a terminal. */
export function tableOf(lines: string[][], paint = (text: string, _row: number, _column: number) => text): string[] {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? '')))) ?? []
  return lines.map((line, row) => {
    const last = line.findLastIndex((text) => text !== '')
    const padding = (text: string, column: number) => ' '.repeat(column < last ? (widths[column] ?? 0) - widthOf(text) + 2 : 0)
    return line
      .slice(0, last + 1)
      .map((text, column) => (text === '' ? '' : paint(text, row, column)) + padding(text, column))
      .join('')
  })
}

const print = (lines: string[]): void => {
  for (const line of lines) printAnswer(line)
}

const withoutEmptyEnd = (line: string[]): string[] => line.slice(0, line.findLastIndex((cell) => cell !== '') + 1)

/** Control characters could break the table, or change the terminal. */
const shown = (cell: Cell): string => String(plain(cell) ?? '').replaceAll(/\p{Cc}+/gu, ' ')

function plain(cell: Cell): string | number | boolean | null | undefined {
  if (hasTime(cell)) return cell.time
  return hasColour(cell) ? cell.text : cell
}

const graphemes = new Intl.Segmenter('en')
const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u

/** Columns that a text takes on a terminal. */
const widthOf = (text: string): number =>
  Array.from(graphemes.segment(text)).reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0)
