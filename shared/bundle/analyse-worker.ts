import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { analyseElement } from './analyse-element.ts'

const { folder, skip } = workerData as { folder: string; skip: number }
const batches = analyseElement(folder, skip)
for (let next = batches.next(); ; next = batches.next()) {
  if (next.done) {
    const statistics = new Uint8Array(next.value)
    parentPort?.postMessage({ statistics }, [statistics.buffer])
    break
  }
  parentPort?.postMessage({ batch: next.value })
  // One batch ahead of who takes them, so that both work.
  if (parentPort) await once(parentPort, 'message')
}
