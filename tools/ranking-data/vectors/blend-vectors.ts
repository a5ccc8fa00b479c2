import { readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { EVD, Matrix } from 'ml-matrix'
import { z } from 'zod'
import { localModels } from '../../../shared/ai/local/local-models.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { readJson } from '../read-json.ts'
import type { Report } from '../report.ts'
import { spellingsOf } from './spellings.ts'
import { leastShare, wordVectors } from './word-vectors.ts'
import { writeVectors } from './write-vectors.ts'

export type BlendOptions = {
  /** The folder of the word vectors. */
  vectors: string
  /** The folder of a sentence encoder. */
  model: string
  out: string
  dimensions: number
  /** Length of the encoder's part, relative to that of the word vectors. */
  share: number
}

const WordModel = z.object({ words: z.array(z.string()), dimensions: z.number() })
const textsAtOnce = 500

/**
 * Joins each word vector with the vector of a sentence encoder for the word's most frequent spelling in `folders`, and reduces both to `dimensions` by
 * principal component analysis. Throws a usage error.
 */
export async function blendVectors(folders: string[], options: BlendOptions, report: Report): Promise<void> {
  const { vectors, dimensions, share, out } = options
  const model = readJson('--vectors', join(vectors, 'model.json'), WordModel)
  const { rows: learned, weights } = readVectors(vectors, model)
  const spellings = await spellingsOf(model.words, folders, report)
  const encoded = new Matrix(await encode(options.model, spellings, report))
  const joined = joinColumns(atLengthOne(learned), atLengthOne(encoded.subRowVector(encoded.mean('column'))).mul(share))
  const shares = weights.map((weight) => Math.exp(-weight) - leastShare)
  writeVectors(out, { words: model.words }, wordVectors(principal(joined, dimensions), shares, 1))
}

/** The vectors and the weights of the words: a row times its factor has the length of the weight. */
function readVectors(folder: string, { words, dimensions }: z.output<typeof WordModel>): { rows: Matrix; weights: number[] } {
  const bytes = new Int8Array(readFileSync(join(folder, 'vectors.i8')))
  const factors = new Float32Array(new Uint8Array(readFileSync(join(folder, 'weights.f32'))).buffer)
  if (bytes.length !== words.length * dimensions || factors.length !== 2 * words.length)
    throw new UsageError(`--vectors: the files in ${folder} do not belong together.`)
  const rows = Matrix.from1DArray(words.length, dimensions, bytes)
  return { rows, weights: words.map((_, i) => Math.hypot(...rows.getRow(i)) * (factors[2 * i] as number)) }
}

async function encode(folder: string, texts: string[], report: Report): Promise<Float32Array[]> {
  const stop = new AbortController()
  const models = localModels({ modelsDir: dirname(resolve(folder)), stopping: stop.signal })
  try {
    const model = models.find(basename(resolve(folder)), 'embedding')
    const encoded: Float32Array[] = []
    while (encoded.length < texts.length) {
      encoded.push(...(await models.encode(model, texts.slice(encoded.length, encoded.length + textsAtOnce), 'query')))
      report(`${encoded.length} of ${texts.length} words encoded`)
    }
    return encoded
  } finally {
    stop.abort()
  }
}

function atLengthOne(matrix: Matrix): Matrix {
  for (let row = 0; row < matrix.rows; row++) matrix.mulRow(row, 1 / (Math.hypot(...matrix.getRow(row)) || 1))
  return matrix
}

function joinColumns(left: Matrix, right: Matrix): Matrix {
  const joined = Matrix.zeros(left.rows, left.columns + right.columns)
  return joined.setSubMatrix(left, 0, 0).setSubMatrix(right, 0, left.columns)
}

/** The rows along the directions in which they differ most. */
function principal(rows: Matrix, dimensions: number): Matrix {
  const centred = rows.subRowVector(rows.mean('column'))
  const { eigenvectorMatrix, realEigenvalues } = new EVD(centred.transpose().mmul(centred), { assumeSymmetric: true })
  const largest = realEigenvalues
    .map((value, column) => ({ value, column }))
    .sort((a, b) => b.value - a.value)
    .slice(0, dimensions)
    .map(({ column }) => column)
  return centred.mmul(eigenvectorMatrix.subMatrixColumn(largest))
}
