import type { Worker } from 'node:worker_threads'

/** Long enough for the next version of a library, or the next job of the queue. */
const keepMs = 10_000

const spares = new Map<string, { worker: Worker; timer: NodeJS.Timeout }>()

/** An idle worker that another pool of this kind started and no longer needs. */
export function takeSpareWorker(kind: string): Worker | undefined {
  const spare = spares.get(kind)
  if (!spare) return undefined
  forget(kind, spare.worker)
  removeListeners(spare.worker)
  spare.worker.ref()
  return spare.worker
}

/**
 * Keeps an idle worker for the next pool of its kind, since starting one takes 200 ms. Ends the worker if one is kept already, or if it
 * holds more than `maxMb` of memory.
 */
export async function storeSpareWorker(kind: string, worker: Worker, maxMb: number): Promise<void> {
  // A thread that ends meanwhile never replies.
  const ended = new Promise<undefined>((resolve) => worker.once('exit', () => resolve(undefined)))
  const heap = await Promise.race([worker.getHeapStatistics?.().catch(() => undefined), ended])
  // Buffers are outside the heap.
  const heldBytes = heap ? heap.total_heap_size + heap.external_memory : Number.POSITIVE_INFINITY
  if (heldBytes > maxMb * 1024 ** 2 || spares.has(kind)) {
    await worker.terminate()
    return
  }
  removeListeners(worker)
  for (const event of ['error', 'exit']) worker.on(event, () => forget(kind, worker))
  worker.unref()
  const timer = setTimeout(() => {
    forget(kind, worker)
    void worker.terminate()
  }, keepMs).unref()
  spares.set(kind, { worker, timer })
}

function forget(kind: string, worker: Worker): void {
  const spare = spares.get(kind)
  if (spare?.worker !== worker) return
  clearTimeout(spare.timer)
  spares.delete(kind)
}

function removeListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
}
