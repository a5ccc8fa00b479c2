import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { PackageMissing, PlatformUnsupported } from './import-runtime.ts'
import { type LoadedModel, loadModel, type ModelThreadData, WrongModel } from './load-model.ts'

export type ModelTask = { encode: string[] } | { score: string[]; question: string }
/** `id` numbers the requests of a thread. */
export type ModelMessage = { id: number; task: ModelTask } | { cancel: number }
export type ModelFailure = 'package' | 'platform' | 'model' | 'loading' | 'running' | 'cancelled' | 'heap' | 'memory' | 'crashed'
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
    if ('encode' in task) return { id, vectors: await inTurn(id, task.encode, (text) => loaded.encode(text)) }
    return { id, scores: await inTurn(id, task.score, (passage) => loaded.score(task.question, passage)) }
  } catch (error) {
    if (error instanceof PackageMissing) failed = 'package'
    if (error instanceof PlatformUnsupported) failed = 'platform'
    if (error instanceof WrongModel) failed = 'model'
    if (error instanceof Cancelled) failed = 'cancelled'
    return { id, failed, reason: error instanceof Error ? error.message : String(error) }
  }
}

/** The results in the order of the texts. Between two texts it notices that nobody waits any more. */
async function inTurn<Result>(id: number, texts: string[], work: (text: string) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (const text of texts) {
    await nextTurn()
    if (cancelled >= id) throw new Cancelled()
    results.push(await work(text))
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
