import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { totalMemoryBytes } from '../../system/total-memory-bytes.ts'
import { catalogue } from './catalogue.ts'
import { canRun } from './import-runtime.ts'
import { type IsolatedModel, isolatedModel, type ModelLimits } from './isolated-model.ts'
import type { LocalUse } from './model-facts.ts'
import { builtInModelsDir, type ModelDirs, type ModelFolder, modelFolders, modelNames } from './model-folder.ts'
import type { ModelReply, ModelTask } from './model-worker.ts'
import { installedRuntime, type RuntimeModules, runtimeIn } from './runtime.ts'

type Purpose = 'document' | 'query'

/** The models in the folders of an install, each in its own process. */
export type LocalModels = {
  /** Throws not_configured with one sentence that says what to copy where. */
  find(name: string, use: LocalUse): ModelFolder
  /**
   * The name of a sentence encoder for installs that name none: those of the catalogue first, in its order. Undefined if there is none, or if
   * models do not run here.
   */
  defaultEncoder(): string | undefined
  /** True if the model is a part of the image. */
  isBuiltIn(name: string): boolean
  /** Identifies the content of a model's folder. A model that cannot be used has one, too: using it throws the reason. */
  versionOf(name: string, use: LocalUse): string
  /** A vector of length one for each text. Questions have a process of their own, and do not wait for documents. */
  encode(model: ModelFolder, texts: string[], purpose: Purpose, signal?: AbortSignal): Promise<Float32Array[]>
  /** Scores how well each passage answers the question. */
  score(model: ModelFolder, question: string, passages: string[], signal?: AbortSignal): Promise<number[]>
}

export type LocalModelsOptions = ModelDirs & {
  /** Ends all processes. */
  stopping?: AbortSignal
  /** A folder that may hold the packages; otherwise they are next to Carrel. */
  runtimeDir?: string
  /** Replaces the installed packages. */
  runtime?: RuntimeModules
  limits?: Partial<ModelLimits>
}

const memoryMb = Math.floor(totalMemoryBytes() / 1024 / 1024)
const modelLimits: ModelLimits = {
  requestMs: 120_000,
  idleMs: 10 * 60_000,
  maxWaiting: 64,
  isBackground: false,
  heapMb: 1_024,
  // Leaves 1 GB to the server, or half of the memory.
  memoryMb: Math.max(memoryMb - 1_024, Math.floor(memoryMb / 2)),
}
/** A job sends documents without a pause, and may wait long for a processor. */
const documentLimits = { requestMs: 10 * 60_000, idleMs: 60_000, isBackground: true }
/** Leaves one processor to the server. */
const processorThreads = Math.min(4, Math.max(1, availableParallelism() - 1))
const unusableVersion = 'unusable'
const neverAborted = new AbortController().signal

export function localModels({
  modelsDir,
  builtInDir = builtInModelsDir,
  stopping = neverAborted,
  runtimeDir,
  runtime,
  limits,
}: LocalModelsOptions): LocalModels {
  const dirs = { modelsDir, builtInDir }
  const find = modelFolders(dirs)
  const started = new Map<string, { version: string; model: IsolatedModel }>()
  stopping.addEventListener('abort', () => {
    for (const { model } of started.values()) model.close()
  })

  /** Packages may be installed while the server runs. */
  const modulesNow = () => runtime ?? (runtimeDir === undefined ? installedRuntime : runtimeIn(runtimeDir))
  const versionOf = (name: string, use: LocalUse): string => {
    try {
      return find(name, use).version
    } catch {
      return unusableVersion
    }
  }
  const modelOf = (folder: ModelFolder, purpose: Purpose): IsolatedModel => {
    const modules = modulesNow()
    const key = `${folder.use} ${purpose} ${folder.name} ${modules.onnx}`
    const last = started.get(key)
    if (last?.version === folder.version) return last.model
    last?.model.close()
    const more = purpose === 'document' ? documentLimits : {}
    const model = isolatedModel({ folder, runtime: modules, processorThreads }, { ...modelLimits, ...more, ...limits })
    started.set(key, { version: folder.version, model })
    return model
  }
  const run = async (folder: ModelFolder, task: ModelTask, purpose: Purpose, signal?: AbortSignal): Promise<ModelReply> => {
    const ended = signal ? AbortSignal.any([signal, stopping]) : stopping
    ended.throwIfAborted()
    return modelOf(folder, purpose).run(task, ended)
  }
  return {
    find,
    defaultEncoder() {
      const names = modelNames(dirs)
      const known = catalogue.map(({ name }) => name).filter((name) => names.includes(name))
      const isEncoder = (name: string) => versionOf(name, 'embedding') !== unusableVersion
      return names.length > 0 && canRun(modulesNow()) ? [...known, ...names].find(isEncoder) : undefined
    },
    isBuiltIn: (name) => existsSync(join(builtInDir, name)),
    versionOf,
    async encode(model, texts, purpose, signal) {
      const task = { encode: texts.map((text) => model.prompts[purpose] + text) }
      const reply = await run(model, task, purpose, signal)
      return 'vectors' in reply ? reply.vectors : []
    },
    async score(model, question, passages, signal) {
      const reply = await run(model, { score: passages, question }, 'query', signal)
      return 'scores' in reply ? reply.scores : []
    },
  }
}
