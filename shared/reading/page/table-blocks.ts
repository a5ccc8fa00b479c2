import type { Block } from './page.ts'

export type Cell = Block[]

const maxRepeatedLength = 500

/** A Markdown table. Code in a cell follows its row, and the table continues below it, with its head repeated if that is short. */
function tableBlocks(head: Cell[], rows: Cell[][], line: number): Block[] {
  const width = rows.reduce((max, row) => Math.max(max, row.length), head.length)
  if (width === 0) return []
  const padded = Array.from({ length: width }, (_, column) => head[column] ?? [])
  const top = [printRow(padded), `|${' --- |'.repeat(width)}`]
  const repeatedTop = top.join('').length > maxRepeatedLength ? [] : top
  const blocks: Block[] = []
  let open = [...top]
  const close = () => {
    if (open.length > 0) blocks.push({ kind: 'prose', text: open.join('\n'), line })
    open = []
  }
  for (const row of [head, ...rows]) {
    if (row !== head && open.length === 0) open = [...repeatedTop]
    if (row !== head) open.push(printRow(row))
    const code = row.flatMap((cell) => cell.filter(({ kind }) => kind === 'code'))
    if (code.length > 0) close()
    for (const block of code) blocks.push(block)
  }
  close()
  return blocks
}

/** A table whose first rows are its head. Uses the first row as the head if the table has none, since Markdown requires one. */
export function headedTable(rows: Cell[][], heads: number, line: number): Block[] {
  const tops = rows.slice(0, Math.max(heads, 1))
  const width = tops.reduce((max, row) => Math.max(max, row.length), 0)
  const head = Array.from({ length: width }, (_, column) => tops.flatMap((row) => row[column] ?? []))
  return tableBlocks(head, rows.slice(tops.length), line)
}

const printRow = (row: Cell[]): string => `| ${row.map(printCell).join(' | ')} |`

function printCell(cell: Cell): string {
  const prose = cell.flatMap((block) => (block.kind === 'prose' ? [block.text] : []))
  return prose.join(' ').replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')
}
