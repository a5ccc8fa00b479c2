import { delimiterOf, parseCsv } from '../../rst/parse-csv.ts'
import { closesFence, dedent, indentOf, openingFence } from '../syntax/line.ts'

type Options = { title: string; options: ReadonlyMap<string, string> }

/** A list of lists, one per row, as a pipe table. Code in a cell follows the table. */
export function listTable(body: string[], { title, options }: Options): string[] {
  const rows = itemsOf(body).map((row) => itemsOf(row).map(readCell))
  const head = Number.parseInt(options.get('header-rows') ?? '0', 10) || 0
  return [...caption(title), ...pipeTable(rows, head), '', ...rows.flat().flatMap(({ code }) => code)]
}

/** Comma-separated rows as a pipe table. */
export function csvTable(text: string, { title, options }: Options): string[] {
  const delimiter = delimiterOf(options)
  const read = (csv: string) => parseCsv(csv, delimiter).map((row) => row.map((cell) => readCell(cell.split('\n'))))
  const head = read(options.get('header') ?? '')
  const headRows = Number.parseInt(options.get('header-rows') ?? '0', 10) || 0
  return [...caption(title), ...pipeTable([...head, ...read(text)], head.length + headRows)]
}

type Cell = { text: string; code: string[] }

/** The items of the outermost list. */
function itemsOf(lines: string[]): string[][] {
  const items: string[][] = []
  let column = -1
  for (const line of lines) {
    const indent = indentOf(line)
    const [mark = ''] = /^[ \t]*[-*+](?:[ \t]+|$)/.exec(line) ?? []
    if (mark !== '' && (column < 0 || indent <= column)) {
      column = indent
      items.push([line.slice(mark.length)])
    } else items.at(-1)?.push(dedent(line, column + 2))
  }
  return items
}

function readCell(lines: string[]): Cell {
  const code: string[] = []
  const text: string[] = []
  let fence: ReturnType<typeof openingFence>
  for (const line of lines) {
    const wasOpen = fence !== undefined
    if (!fence) fence = openingFence(line)
    else if (closesFence(line, fence)) fence = undefined
    if (wasOpen || fence) code.push(line)
    else text.push(line.trim())
  }
  if (fence) code.push(fence.mark.repeat(fence.length))
  return {
    text: text
      .filter(Boolean)
      .join(' ')
      .replace(/(?<!\\)\|/g, '\\|'),
    code,
  }
}

/** Uses the first row as the head if the table has none, since Markdown requires one. */
function pipeTable(rows: Cell[][], headRows: number): string[] {
  const width = rows.reduce((max, row) => Math.max(max, row.length), 0)
  if (width === 0) return []
  const print = (cells: string[]) => `| ${Array.from({ length: width }, (_, column) => cells[column] ?? '').join(' | ')} |`
  const tops = rows.slice(0, Math.max(headRows, 1))
  const head = Array.from({ length: width }, (_, column) =>
    tops
      .map((row) => row[column]?.text ?? '')
      .filter(Boolean)
      .join(' '),
  )
  return [print(head), `|${' --- |'.repeat(width)}`, ...rows.slice(tops.length).map((row) => print(row.map(({ text }) => text)))]
}

const caption = (title: string): string[] => (title === '' ? [] : [`**${title}**`, ''])
