import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type LoadedModel, loadModel, type ModelThreadData, PackageMissing, WrongModel } from './load-model.ts'

export type ModelTask = { encode: string[] } | { score: string[]; question: string }
/** `id` numbers the requests of a thread. */
export type ModelMessage = { id: number; task: ModelTask } | { cancel: number }
export type ModelFailure = 'package' | 'model' | 'loading' | 'running' | 'cancelled' | 'heap' | 'memory' | 'crashed'
export type ModelReply =
  | { id: number; vectors: Float32Array[] }
  | { id: number; scores: number[] }
  | { id: number; failed: ModelFailure; reason: string }

class Cancelled extends Error {}

let model: Promise<LoadedModel> | undefined
/** The largest cancelled id. A thread runs one request at a time. */
let cancelled = 0

async function run(id: number, task: ModelTask): Promise<ModelReply> {
  let failed: ModelFailure = 'loading'
  try {
    model ??= loadModel(workerData as ModelThreadData)
    const loaded = await model
    failed = 'running'
    if ('encode' in task) return { id, vectors: await batched(id, task.encode, (texts) => loaded.encode(texts)) }
    return {
      id,
      scores: await batched(id, task.score, (passages) =>
        loaded.score(
          passages.map(() => task.question),
          passages,
        ),
      ),
    }
  } catch (error) {
    if (error instanceof PackageMissing) failed = 'package'
    if (error instanceof WrongModel) failed = 'model'
    if (error instanceof Cancelled) failed = 'cancelled'
    return { id, failed, reason: error instanceof Error ? error.message : String(error) }
  }
}

/** Runs the texts in batches, and returns their results in the order of the texts. Between batches it notices that nobody waits any more. */
async function batched<Result>(id: number, texts: string[], work: (texts: string[]) => Promise<Result[]>): Promise<Result[]> {
  const results = new Array<Result>(texts.length)
  for (const places of lengthBatches(texts)) {
    await nextTurn()
    if (cancelled >= id) throw new Cancelled()
    const batchResults = await work(places.map((place) => texts[place] as string))
    for (const [n, place] of places.entries()) results[place] = batchResults[n] as Result
  }
  return results
}

parentPort?.on('message', async (message: ModelMessage) => {
  if ('cancel' in message) {
    cancelled = Math.max(cancelled, message.cancel)
    return
  }
  const reply = await run(message.id, message.task)
  parentPort?.postMessage(reply, 'vectors' in reply ? reply.vectors.map(({ buffer }) => buffer as ArrayBuffer) : [])
})

/** The longest text of a batch times its texts. Each is padded to the longest, and a question waits for at most one batch. */
const maxPaddedChars = 2_048

/** The places of the texts in batches of similar length, so that little of a batch is padding. */
function lengthBatches(texts: readonly string[]): number[][] {
  const batches: number[][] = []
  let batch: number[] = []
  const places = texts.map((_, place) => place).toSorted((a, b) => lengthAt(texts, a) - lengthAt(texts, b))
  for (const place of places) {
    if (batch.length > 0 && (batch.length + 1) * lengthAt(texts, place) > maxPaddedChars) {
      batches.push(batch)
      batch = []
    }
    batch.push(place)
  }
  return batch.length > 0 ? [...batches, batch] : batches
}

const lengthAt = (texts: readonly string[], place: number): number => texts[place]?.length ?? 0
