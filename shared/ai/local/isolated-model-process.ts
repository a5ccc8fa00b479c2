import { writeFileSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { isOutOfMemory, startThread } from '../../system/start-thread.ts'
import type { ModelThreadData } from './load-model.ts'
import type { ModelFailure, ModelMessage, ModelReply, ModelTask } from './model-worker.ts'

/** The first request starts the model. */
export type IsolatedModelRequest =
  | { id: number; task: ModelTask; model: ModelThreadData; limits: ModelMemoryLimits }
  | { cancel: number }
export type ModelMemoryLimits = {
  /** The heap of JavaScript, which holds the tokenizer. */
  heapMb: number
  /** The memory of the whole process. */
  memoryMb: number
}

const memoryCheckMs = 50

/** The model runs in a thread, so that this process notices when its server ends, and when the model takes too much memory. */
let thread: Worker | undefined
let watch: NodeJS.Timeout | undefined
let lastId = 0

function start(model: ModelThreadData, { heapMb }: ModelMemoryLimits): Worker {
  const started = startThread(new URL('./model-worker.ts', import.meta.url), { data: model, limits: { heapMb } })
  started.on('message', (reply: ModelReply) => {
    clearInterval(watch)
    process.send?.(reply)
  })
  started.on('error', (error) => fail(isOutOfMemory(error) ? 'heap' : 'crashed', error.message))
  started.on('exit', () => fail('crashed', 'it ended'))
  return started
}

function fail(failed: ModelFailure, reason: string): void {
  process.send?.({ id: lastId, failed, reason } satisfies ModelReply, end)
}

/** The end of a thread that computes would be awaited otherwise. */
const end = () => process.kill(process.pid, 'SIGKILL')

/** If memory runs out, the kernel ends this process rather than the server. */
function endFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Other systems have no such file.
  }
}

endFirst()
process.on('message', (request: IsolatedModelRequest) => {
  if ('cancel' in request) return thread?.postMessage(request satisfies ModelMessage)
  const { id, task, model, limits } = request
  lastId = id
  thread ??= start(model, limits)
  watch = setInterval(() => process.memoryUsage.rss() > limits.memoryMb * 1024 * 1024 && fail('memory', ''), memoryCheckMs)
  thread.postMessage({ id, task } satisfies ModelMessage)
})
process.on('disconnect', end)
