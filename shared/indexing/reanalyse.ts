import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import type { SnippetRow, StoredSnippet } from '../search/snippet-store.ts'
import { childEnv } from '../system/child-env.ts'

/** Typed arrays of the statistics are not part of it. */
const heapMb = 512
const pageMs = 60_000

/**
 * Rows of a generation, in their order, analysed as this version of the program does; vectors stay with their rows. Returns the statistics.
 * Runs in a thread, so that answers are not held up. Throws timeout if one page takes longer than a minute.
 */
export async function* reanalyse(
  batches: AsyncIterable<SnippetRow[]>,
  signal: AbortSignal,
): AsyncGenerator<SnippetRow[], Uint8Array> {
  const worker = new Worker(new URL('./reanalyse-worker.ts', import.meta.url), {
    env: childEnv(),
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
  })
  const ask = async <Answer>(message: StoredSnippet[] | 'finish'): Promise<Answer> => {
    const late = AbortSignal.timeout(pageMs)
    const answered = once(worker, 'message', { signal: AbortSignal.any([signal, late]) })
    worker.postMessage(message)
    const [answer] = await answered.catch((error: unknown) => {
      throw late.aborted && !signal.aborted ? tooSlow(message) : error
    })
    return answer
  }
  try {
    for await (const rows of pagesOf(batches)) {
      const units = await ask<SnippetRow[]>(rows.map(({ vector: _, terms: __, lengths: ___, ...row }) => row))
      yield units.map((unit, i) => withVector(unit, rows[i]?.vector))
    }
    return await ask<Uint8Array>('finish')
  } finally {
    await worker.terminate()
  }
}

/** The rows of one page follow each other. */
async function* pagesOf(batches: AsyncIterable<SnippetRow[]>): AsyncGenerator<SnippetRow[]> {
  let page: SnippetRow[] = []
  for await (const rows of batches) {
    for (const row of rows) {
      if (page[0] && page[0].page !== row.page) {
        yield page
        page = []
      }
      page.push(row)
    }
  }
  if (page.length > 0) yield page
}

const withVector = (row: SnippetRow, vector: Float32Array | undefined): SnippetRow => (vector ? { ...row, vector } : row)

const tooSlow = (message: StoredSnippet[] | 'finish'): AppError =>
  new AppError(
    'timeout',
    message === 'finish'
      ? 'Building the word statistics took longer than a minute and was aborted.'
      : `Analysing ${message[0]?.path ?? 'a page'} again took longer than a minute and was aborted. Refresh the library instead.`,
  )
