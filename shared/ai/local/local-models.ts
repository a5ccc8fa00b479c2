import { availableParallelism } from 'node:os'
import type { Line } from '../../time/fair-limit.ts'
import { type LocalUse, type ModelFolder, modelFolders } from './model-folder.ts'
import { type ModelThread, type ModelThreadLimits, modelThread } from './model-thread.ts'
import type { ModelReply, ModelTask } from './model-worker.ts'
import { transformersPackage } from './transformers.ts'

/** The models in the folders of an install, each in its own thread. */
export type LocalModels = {
  /** Throws internal_error with one sentence that says what to copy where. */
  find(name: string, use: LocalUse): ModelFolder
  /** Identifies the content of a model's folder. A model that cannot be used has one, too: using it throws the reason. */
  versionOf(name: string, use: LocalUse): string
  /** A vector of length one for each text. Questions do not wait for the documents before them. */
  encode(model: ModelFolder, texts: string[], purpose: 'document' | 'query', signal?: AbortSignal): Promise<Float32Array[]>
  /** How well each passage answers the question. */
  score(model: ModelFolder, question: string, passages: string[], signal?: AbortSignal): Promise<number[]>
}

export type LocalModelsOptions = {
  /** The folder that holds a folder for each model. */
  modelsDir: string
  /** Ends all threads. */
  stopping?: AbortSignal
  /** What to import as the package; by default the installed one. */
  module?: string
  limits?: Partial<ModelThreadLimits>
}

const threadLimits: ModelThreadLimits = { requestMs: 120_000, idleMs: 10 * 60_000, maxWaiting: 64, heapMb: 1_024 }
/** Leaves one processor to the server. */
const processorThreads = Math.min(4, Math.max(1, availableParallelism() - 1))
const neverAborted = new AbortController().signal

export function localModels({
  modelsDir,
  stopping = neverAborted,
  module = transformersPackage,
  limits,
}: LocalModelsOptions): LocalModels {
  const find = modelFolders(modelsDir)
  const threads = new Map<string, { version: string; thread: ModelThread }>()
  stopping.addEventListener('abort', () => {
    for (const { thread } of threads.values()) void thread.close()
  })

  const threadOf = (folder: ModelFolder): ModelThread => {
    const key = `${folder.use} ${folder.name}`
    const last = threads.get(key)
    if (last?.version === folder.version) return last.thread
    void last?.thread.close()
    const thread = modelThread({ folder, module, processorThreads }, { ...threadLimits, ...limits })
    threads.set(key, { version: folder.version, thread })
    return thread
  }
  const run = async (folder: ModelFolder, task: ModelTask, line: Line, signal?: AbortSignal): Promise<ModelReply> => {
    const ended = signal ? AbortSignal.any([signal, stopping]) : stopping
    ended.throwIfAborted()
    return threadOf(folder).run(task, line, ended)
  }
  return {
    find,
    versionOf(name, use) {
      try {
        return find(name, use).version
      } catch {
        return 'unusable'
      }
    },
    async encode(model, texts, purpose, signal) {
      const task = { encode: texts.map((text) => model.prompts[purpose] + text) }
      const reply = await run(model, task, purpose === 'query' ? 'first' : 'second', signal)
      return 'vectors' in reply ? reply.vectors : []
    },
    async score(model, question, passages, signal) {
      const reply = await run(model, { score: passages, question }, 'first', signal)
      return 'scores' in reply ? reply.scores : []
    },
  }
}
