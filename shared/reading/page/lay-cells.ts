import type { Cell } from './table-blocks.ts'

export type SpanningCell = { cell: Cell; columns: number; rows: number }

const maxColumns = 200

/** Places cells in their columns. A cell that spans columns or rows is placed in the first of them; the others are empty. */
export function layCells(rows: SpanningCell[][]): Cell[][] {
  const grid: Cell[][] = []
  /** For each column, the number of rows below that a cell above takes. */
  const taken: number[] = []
  for (const row of rows) {
    const line: Cell[] = []
    let column = 0
    const skipTaken = () => {
      for (let left = taken[column] ?? 0; left > 0; left = taken[column] ?? 0) taken[column++] = left - 1
    }
    for (const { cell, columns, rows: height } of row) {
      skipTaken()
      if (column >= maxColumns) break
      line[column] = cell
      const end = Math.min(maxColumns, column + Math.max(1, columns))
      for (; column < end; column++) taken[column] = Math.max(taken[column] ?? 0, height - 1)
    }
    grid.push(Array.from({ length: column }, (_, at) => line[at] ?? []))
    for (; column < taken.length; column++) taken[column] = Math.max(0, (taken[column] ?? 0) - 1)
  }
  return grid
}
