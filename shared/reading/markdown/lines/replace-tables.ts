import { layCells } from '../../page/lay-cells.ts'
import type { Block } from '../../page/page.ts'
import { type Cell, headedTable } from '../../page/table-blocks.ts'
import { cleanInline, plainText } from '../syntax/clean-inline.ts'
import { dedent, fenceRoles, indentOf, joinLines, type Line } from '../syntax/line.ts'
import { type HtmlTable, readHtmlTable } from './html-table.ts'

/** `readBlocks` reads a cell that holds more than words. */
type Dialect = { jsx: boolean; readBlocks(lines: Line[]): Cell }

const start = /^[ \t]*(?:<(?:div|center|figure|p)\b[^<>]{0,300}>[ \t]*)?<table\b/i
const blockStart =
  /^[ \t]*(?:[-*+] |\d{1,9}[.)] |>|#{1,6} |```|~~~|\|)|<(?:ul|ol|li|dl|p|div|pre|h[1-6]|details|blockquote)\b|^[ \t]*:{3}|[{<][A-Z%{]/im
/** A cell with more text holds a part of the page: the table is only its layout. */
const maxCellChars = 3_000
const maxIndent = 100

/** Replaces HTML tables by lines that hold the blocks of a Markdown table. Lists in the cells of Markdown tables stay on their line. */
export function replaceTables(lines: Line[], dialect: Dialect): Line[] {
  if (!lines.some(({ text }) => start.test(text) || isRowWithList(text))) return lines
  const roles = fenceRoles(lines)
  const out: Line[] = []
  let isClosed = true
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as Line
    const table = isClosed && roles[i] === 'outside' && start.test(line.text) ? readHtmlTable(lines, roles, i) : undefined
    if (table === undefined) {
      // No later table can be closed either if the rest of the page does not close this one.
      if (roles[i] === 'outside' && start.test(line.text)) isClosed = false
      out.push(roles[i] === 'outside' && isRowWithList(line.text) ? { ...line, text: withInlineList(line.text) } : line)
      continue
    }
    const { at } = line
    const blocks = blocksOf(table, dialect, at)
    const indent = ' '.repeat(indentOf(line.text))
    if (blocks.length > 0) out.push({ text: '', at }, { text: `${indent}***`, at, blocks }, { text: '', at })
    i = table.last
    if (table.rest.trim() !== '') out.push({ text: indent + table.rest.trimStart(), at: lines[i]?.at ?? at })
  }
  return out
}

const isRowWithList = (text: string): boolean => text.includes('|') && /<li\b/i.test(text)

const withInlineList = (text: string): string =>
  text
    .replace(/<li\b[^<>]*>/gi, ' - ')
    .replace(/<\/?(?:ul|ol|li|p)\b[^<>]*>/gi, ' ')
    .replace(/ {2,}/g, ' ')

function blocksOf({ caption, rows }: HtmlTable, dialect: Dialect, line: number): Block[] {
  const read = (cell: Line[]): Cell =>
    blockStart.test(joinLines(cell)) ? dialect.readBlocks(dedented(cell)) : words(cell, dialect.jsx)
  const cells = rows.map((row) => row.map((each) => ({ ...each, cell: read(each.lines) })))
  const title = plainText(joinLines(caption), { references: noReferences, jsx: dialect.jsx })
  const lead: Block[] = title === '' ? [] : [{ kind: 'prose', text: `**${title}**`, line }]
  if (isLayout(cells.map((row) => row.map(({ cell }) => cell)))) return [...lead, ...cells.flat().flatMap(({ cell }) => cell)]
  const heads = cells.findIndex((row) => !row.every(({ isHead }) => isHead))
  const grid = layCells(cells).filter((row, i) => i < heads || row.some((cell) => cell.length > 0))
  return [...lead, ...headedTable(grid, heads, line)]
}

/** True for a table without two cells in a row, or with a cell that is a page of its own. */
const isLayout = (rows: Cell[][]): boolean =>
  rows.every((row) => row.length < 2) ||
  rows.some((row) =>
    row.some((cell) => cell.reduce((sum, block) => sum + (block.kind === 'prose' ? block.text.length : 0), 0) > maxCellChars),
  )

const noReferences = new Set<string>()

function words(lines: Line[], jsx: boolean): Cell {
  const text = cleanInline(joinLines(lines).replace(/\s+/g, ' '), { references: noReferences, jsx }).trim()
  return text === '' ? [] : [{ kind: 'prose', text, line: lines[0]?.at ?? 1 }]
}

/** The lines without the indentation that all of them have; the first follows its tag. */
function dedented([first, ...rest]: Line[]): Line[] {
  const columns = rest.filter(({ text }) => text.trim() !== '').map(({ text }) => indentOf(text))
  const margin = columns.reduce((least, column) => Math.min(least, column), maxIndent)
  const below = rest.map((line) => ({ ...line, text: dedent(line.text, margin) }))
  return first ? [{ ...first, text: first.text.trimStart() }, ...below] : []
}
