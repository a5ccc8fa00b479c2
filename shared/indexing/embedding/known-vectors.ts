import type { VectorSpace } from '../../ai/embedder.ts'
import type { Vectors, VectorUser } from '../../ai/vectors.ts'
import { packRows, unpackRows } from '../../search/rows/pack-rows.ts'
import type { GenerationWriter, PackedRows, SnippetStore } from '../../search/rows/snippet-store.ts'
import { type WaitingRow, waitingRow } from './waiting-rows.ts'

type Written = {
  /** The key of the library. */
  library: string
  /** Without a space, rows are written without vectors. */
  space: VectorSpace | undefined
  /** Makes and stores vectors if only a few are missing; returns those that it has made, by hash. */
  makeFew?: ((user: VectorUser, rows: WaitingRow[]) => Promise<Map<string, Float32Array>>) | undefined
}

/**
 * A store that writes each row with its known vector, or with one that `makeFew` makes. A row without one gets a vector of zeros, so that it is
 * found by its words, and is recorded as left out until its vector is made.
 */
export const knownVectors = (
  snippets: Pick<SnippetStore, 'write'>,
  vectors: Vectors,
  { library, space, makeFew }: Written,
): Pick<SnippetStore, 'write'> => ({
  async write(generation) {
    const writer = await beginGeneration(snippets, vectors, generation, space?.model)
    if (!space) return writer
    const user = { generation, library, model: space.model }
    const zeros = new Float32Array(space.dimensions)
    const add = async (rows: PackedRows) => {
      const waiting = [...unpackRows(rows)].map(waitingRow)
      const hashes = waiting.map(({ hash }) => hash)
      const known = await vectors.take(user, hashes, space.dimensions)
      const missing = waiting.filter(({ hash }) => !known.has(hash))
      const made = (await makeFew?.(user, missing)) ?? new Map<string, Float32Array>()
      const unknown = missing.filter(({ hash }) => !made.has(hash))
      await vectors.leaveOut(
        user,
        unknown.map(({ hash, path }) => ({ hash, path, reason: notYet })),
      )
      await writer.add({ ...rows, vectors: hashes.map((hash) => known.get(hash) ?? made.get(hash) ?? zeros) })
    }
    return { ...writer, add: (rows) => add(Array.isArray(rows) ? packRows(rows) : rows) }
  },
})

const notYet = 'has no vector yet'

/** Begins a generation whose rows have vectors of the model, or resumes it unless an interrupted run has begun it with another one. */
export async function beginGeneration(
  snippets: Pick<SnippetStore, 'write'>,
  vectors: Pick<Vectors, 'modelOf' | 'forget'>,
  generation: string,
  model: string | undefined,
): Promise<GenerationWriter> {
  const writer = await snippets.write(generation)
  if (vectors.modelOf(generation) === model) return writer
  const isStored = writer.written > 0
  if (isStored) await writer.abort()
  await vectors.forget(generation)
  return isStored ? snippets.write(generation) : writer
}
