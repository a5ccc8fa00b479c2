import { once } from 'node:events'
import { AppError } from '../../errors.ts'
import type { PackedRows, SnippetRow, StoredSnippet } from '../../search/rows/snippet-store.ts'
import { startThread } from '../../system/start-thread.ts'

const limits = { heapMb: 512, youngHeapMb: 16 }
const pageMs = 60_000

/**
 * Analyses the rows of a generation with the current analysis and keeps their order and vectors. Returns the statistics. Runs in a thread, so
 * that responses are not delayed. Throws timeout if one page takes longer than a minute.
 */
export async function* reanalyse(
  batches: AsyncIterable<SnippetRow[]>,
  signal: AbortSignal,
): AsyncGenerator<PackedRows, Uint8Array> {
  const worker = startThread(new URL('./reanalyse-worker.ts', import.meta.url), { limits })
  const request = async <Reply>(message: StoredSnippet[] | 'finish'): Promise<Reply> => {
    const late = AbortSignal.timeout(pageMs)
    const replied = once(worker, 'message', { signal: AbortSignal.any([signal, late]) })
    worker.postMessage(message)
    const [reply] = await replied.catch((error: unknown) => {
      throw late.aborted && !signal.aborted ? tooSlow(message) : error
    })
    return reply
  }
  try {
    for await (const rows of pagesOf(batches)) {
      const packed = await request<PackedRows>(
        rows.map(({ vector: _, terms: __, lengths: ___, wordVector: ____, toCode: _____, copy: ______, ...row }) => row),
      )
      yield rows.some(({ vector }) => vector) ? { ...packed, vectors: rows.map(({ vector }) => vector) } : packed
    }
    return await request<Uint8Array>('finish')
  } finally {
    await worker.terminate()
  }
}

/** Groups rows by page; the rows of a page are adjacent. */
export async function* pagesOf(batches: AsyncIterable<SnippetRow[]>): AsyncGenerator<SnippetRow[]> {
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

const tooSlow = (message: StoredSnippet[] | 'finish'): AppError =>
  new AppError(
    'timeout',
    message === 'finish'
      ? 'Building the word statistics took longer than a minute and was aborted.'
      : `Analysing ${message[0]?.path ?? 'a page'} again took longer than a minute and was aborted. Refresh the library instead.`,
  )
