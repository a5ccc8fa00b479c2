import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'

type Spare = { worker: Worker; timer: NodeJS.Timeout }

/** Long enough for the next version of a library, or for the next job to fetch its repository. */
const keepMs = 30_000
/** Maximum number of spares of one kind: as many as can work at the same time. */
const maxSpares = Math.min(4, availableParallelism())

const spares = new Map<string, Spare[]>()

/** An idle worker that another pool of this kind started and no longer needs. */
export function takeSpareWorker(kind: string): Worker | undefined {
  const worker = spares.get(kind)?.at(-1)?.worker
  if (!worker) return undefined
  forget(kind, worker)
  removeListeners(worker)
  worker.ref()
  return worker
}

/**
 * Keeps an idle worker for the next pool of its kind, since a new one starts slowly and compiles its code again while it works.
 * Ends the worker if enough are kept already, or if it holds more than `maxMb` of memory.
 */
export async function storeSpareWorker(kind: string, worker: Worker, maxMb: number): Promise<void> {
  // A thread that ends meanwhile never replies.
  const ended = new Promise<undefined>((resolve) => worker.once('exit', () => resolve(undefined)))
  const heap = await Promise.race([worker.getHeapStatistics?.().catch(() => undefined), ended])
  // Buffers are outside the heap.
  const heldBytes = heap ? heap.total_heap_size + heap.external_memory : Number.POSITIVE_INFINITY
  const others = spares.get(kind) ?? []
  if (heldBytes > maxMb * 1024 ** 2 || others.length >= maxSpares) {
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
  spares.set(kind, [...others, { worker, timer }])
}

function forget(kind: string, worker: Worker): void {
  const all = spares.get(kind) ?? []
  const others = all.filter((each) => each.worker !== worker)
  for (const each of all) if (each.worker === worker) clearTimeout(each.timer)
  if (others.length > 0) spares.set(kind, others)
  else spares.delete(kind)
}

function removeListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
}
