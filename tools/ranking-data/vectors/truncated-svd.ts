import { EVD, Matrix, QR } from 'ml-matrix'
import { randomFrom } from '../../../test/bench/random.ts'
import type { SparseMatrix } from './associations.ts'

const seed = 15
const extra = 20
const powerSteps = 3

/**
 * The left singular vectors of the largest singular values, times the square roots of these, one row per row of the matrix. Computed by random
 * projection (Halko, Martinsson and Tropp, 2011) with a fixed seed: the same matrix gives the same result.
 */
export function truncatedSvd(matrix: SparseMatrix, dimensions: number): Matrix {
  const width = Math.min(dimensions + extra, matrix.size)
  const normal = normalFrom(randomFrom(seed))
  let basis = Matrix.zeros(matrix.size, width)
  for (let row = 0; row < matrix.size; row++) for (let column = 0; column < width; column++) basis.set(row, column, normal())
  basis = orthogonal(multiply(matrix, basis))
  for (let step = 0; step < powerSteps; step++) {
    basis = orthogonal(multiplyTransposed(matrix, basis))
    basis = orthogonal(multiply(matrix, basis))
  }
  const projected = multiplyTransposed(matrix, basis)
  const { eigenvectorMatrix, realEigenvalues } = new EVD(projected.transpose().mmul(projected), { assumeSymmetric: true })
  const largest = realEigenvalues
    .map((value, column) => ({ value: Math.max(0, value), column }))
    .sort((a, b) => b.value - a.value)
    .slice(0, dimensions)
  const chosen = Matrix.zeros(width, largest.length)
  for (const [at, { value, column }] of largest.entries())
    for (let row = 0; row < width; row++) chosen.set(row, at, eigenvectorMatrix.get(row, column) * value ** 0.25)
  return basis.mmul(chosen)
}

/** Normally distributed numbers, by the method of Box and Muller. */
const normalFrom = (random: () => number) => () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const orthogonal = (matrix: Matrix): Matrix => new QR(matrix).orthogonalMatrix

function multiply({ size, starts, columns, values }: SparseMatrix, dense: Matrix): Matrix {
  const result = Matrix.zeros(size, dense.columns)
  for (let row = 0; row < size; row++)
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at++)
      addRow(result, row, dense, columns[at] as number, values[at] as number)
  return result
}

function multiplyTransposed({ size, starts, columns, values }: SparseMatrix, dense: Matrix): Matrix {
  const result = Matrix.zeros(size, dense.columns)
  for (let row = 0; row < size; row++)
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at++)
      addRow(result, columns[at] as number, dense, row, values[at] as number)
  return result
}

function addRow(to: Matrix, row: number, from: Matrix, other: number, factor: number): void {
  for (let i = 0; i < from.columns; i++) to.set(row, i, to.get(row, i) + factor * from.get(other, i))
}
