import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { totalMemoryBytes } from '../../system/total-memory-bytes.ts'
import { type CatalogueModel, catalogue } from './catalogue.ts'
import { canRun } from './import-runtime.ts'
import { type IsolatedModel, isolatedModel, type ModelLimits } from './isolated-model.ts'
import { type ModelCheck, modelChecks } from './model-check.ts'
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
   * The name of a sentence encoder for installs that name none: those whose files are the catalogue's first, in its order. Undefined if there is
   * none that is whole, or if models do not run here.
   */
  defaultEncoder(): string | undefined
  /** A sentence for each folder that is no default because it cannot be used. */
  skippedEncoders(): string[]
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
  /** Replaces the catalogue. */
  models?: readonly CatalogueModel[]
  limits?: Partial<ModelLimits>
}

type CheckedEncoder = { name: string } & (ModelCheck | { state: 'broken'; sentence: string })

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
  models = catalogue,
  limits,
}: LocalModelsOptions): LocalModels {
  const dirs = { modelsDir, builtInDir }
  const find = modelFolders(dirs)
  const check = modelChecks(models)
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
  /** The folders that may be sentence encoders: those of the catalogue first, in its order. */
  const checkedEncoders = (): CheckedEncoder[] => {
    const names = modelNames(dirs)
    const known = models.map(({ name }) => name).filter((name) => names.includes(name))
    return [...new Set([...known, ...names])].flatMap((name) => {
      try {
        return { name, ...check(find(name, 'embedding')) }
      } catch (error) {
        return isReranker(name) ? [] : { name, state: 'broken', sentence: (error as Error).message }
      }
    })
  }
  const isReranker = (name: string) => versionOf(name, 'reranking') !== unusableVersion
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
      const encoders = checkedEncoders()
      const isVerified = ({ state }: CheckedEncoder) => state === 'verified'
      const best = encoders.find(isVerified) ?? encoders.find(({ state }) => state === 'whole')
      return best && canRun(modulesNow()) ? best.name : undefined
    },
    skippedEncoders: () =>
      checkedEncoders().flatMap((each) =>
        'sentence' in each
          ? [each.sentence]
          : each.state === 'broken'
            ? [`The model ${each.name} is not used: ${each.reason}.`]
            : [],
      ),
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
