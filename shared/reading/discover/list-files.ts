import { AppError } from '../../errors.ts'
import { childEnv } from '../../system/child-env.ts'
import { storeSpareWorker, takeSpareWorker } from '../../system/spare-worker.ts'
import { isOutOfMemory, startThread } from '../../system/start-thread.ts'
import type { Listing, ListingPart } from './list-files-worker.ts'

export type ListLimits = {
  /** Time limit for listing the files of one version. */
  timeMs: number
  heapMb: number
}

/** `bytes` is the size of all documents. */
type Listed = Omit<ListingPart, 'done'>

const youngHeapMb = 16
const script = new URL('./list-files-worker.ts', import.meta.url)

/**
 * Lists the files of a clone, documents sorted by path. Runs in a separate thread, since names, folders and patterns are untrusted. Throws
 * timeout, library_too_large, and the signal's reason.
 */
export async function listFiles(listing: Listing, limits: ListLimits, signal: AbortSignal): Promise<Listed> {
  signal.throwIfAborted()
  const { heapMb } = limits
  const kind = JSON.stringify([script.href, heapMb, childEnv()])
  const worker = takeSpareWorker(kind) ?? startThread(script, { limits: { heapMb, youngHeapMb } })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const listed: Listed = {
    ...{ paths: [], docsLanguages: [], skipped: [], bytes: 0 },
    languages: { existing: [], read: [], missing: [] },
  }
  const timer = setTimeout(() => reject(tooSlow(limits)), limits.timeMs)
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  worker.on('message', ({ paths, docsLanguages, skipped, bytes, languages, done }: ListingPart) => {
    listed.paths.push(...paths)
    listed.docsLanguages.push(...docsLanguages)
    listed.skipped.push(...skipped)
    listed.bytes += bytes
    if (done) listed.languages = languages
    if (done) resolve()
  })
  worker.on('error', (error) => reject(isOutOfMemory(error) ? tooLarge(limits) : error))
  worker.on('exit', () => reject(new Error('the thread that lists the files ended without a result')))
  worker.postMessage(listing)
  try {
    await promise
    await storeSpareWorker(kind, worker, heapMb / 4)
    return listed
  } catch (error) {
    await worker.terminate()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

const tooSlow = ({ timeMs }: ListLimits): AppError =>
  new AppError(
    'timeout',
    `Listing the files of the repository took longer than ${timeMs / 1000} s. Use fewer or shorter patterns in folders, excludeFolders and excludeFiles, or add a smaller repository.`,
  )

const tooLarge = ({ heapMb }: ListLimits): AppError =>
  new AppError('library_too_large', `Listing the files of the repository needs more than ${heapMb} MB of memory.`)
