import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { embeddingChoice } from '../../shared/ai/embedding-choice.ts'
import type { CatalogueModel } from '../../shared/ai/local/catalogue.ts'
import type { LocalModels } from '../../shared/ai/local/local-models.ts'
import { modelChecks } from '../../shared/ai/local/model-check.ts'
import type { LocalUse } from '../../shared/ai/local/model-facts.ts'
import { modelFolders } from '../../shared/ai/local/model-folder.ts'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { Network } from '../../shared/network/network.ts'
import { type TransferLimits, transferLimits } from '../../shared/network/transfer-limits.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import type { Actor, AuditLog } from '../accounts/audit-log.ts'
import type { DiskGuard } from '../store/data-dir/disk-guard.ts'
import { fileHashes } from './hash-file.ts'
import { modelFetches } from './model-fetches.ts'
import { modelFoldersIn } from './model-folders.ts'
import { receiveModel } from './receive-model.ts'

export type ModelState = 'available' | 'downloading' | 'installed' | 'active' | 'damaged'

export type ListedModel = Pick<CatalogueModel, 'name' | 'title' | 'use' | 'cpuSecondsPerThousand' | 'measured'> & {
  /** Null for a model that is not of the catalogue. */
  license: string | null
  /** Empty if they are unknown. */
  languages: readonly string[]
  bytes: number
  state: ModelState
  progress?: { doneBytes: number; totalBytes: number }
  /** The reason why the last fetch failed, or why the model cannot be used. */
  error?: string
}

/** The models of `DATA_DIR/models` and those that can be added. */
export type ModelStore = {
  /** Those of the catalogue, in its order, then others by name. */
  list(): Promise<ListedModel[]>
  /**
   * Begins to fetch a model of the catalogue, or continues. Throws not_found, disk_full. A model that is being fetched or is installed
   * remains so.
   */
  fetch(name: string, actor: Actor): Promise<void>
  /**
   * Installs the model in a zip. Throws validation_error, payload_too_large, job_active. `confirm` is the hash of the weights if they are not in
   * the catalogue.
   */
  receive(name: string, zip: AsyncIterable<Uint8Array>, confirm: string | undefined, actor: Actor): Promise<void>
  /** Deletes a model, or cancels its fetch and deletes what has been fetched. Throws not_found, and job_active while settings use it. */
  remove(name: string, actor: Actor): Promise<void>
  /** Ends all fetches; what has been fetched remains. */
  close(): Promise<void>
}

export type ModelStorePorts = {
  dataDir: string
  catalogue: readonly CatalogueModel[]
  settings: Pick<SettingsStore, 'get'>
  local: Pick<LocalModels, 'defaultEncoder' | 'isBuiltIn'>
  audit: Pick<AuditLog, 'record'>
  disk: DiskGuard
  network: Network
  log: Log
  limits?: TransferLimits
}

const nameRule = /^[A-Za-z0-9][\w.-]{0,99}$/

export function modelStore(ports: ModelStorePorts): ModelStore {
  const { audit, catalogue, dataDir, disk, local } = ports
  const modelsDir = join(dataDir, 'models')
  const folders = modelFoldersIn(modelsDir)
  const readFolder = modelFolders({ modelsDir })
  const checkOf = modelChecks(catalogue)
  const hashOf = fileHashes()
  const fetches = modelFetches({ limits: transferLimits, ...ports, folders })

  /** True unless an operator has replaced it. */
  const isInImage = (name: string) => local.isBuiltIn(name) && !existsSync(folders.pathOf(name))
  const catalogueModel = (name: string) => catalogue.find((model) => model.name === name)
  const unknownModel = (name: string) => notFound(name, catalogue)
  const isWhole = async ({ name, files }: CatalogueModel): Promise<boolean> => {
    const hashes = await Promise.all(files.map(({ path }) => hashOf(join(folders.pathOf(name), path))))
    return files.every(({ sha256 }, n) => hashes[n] === sha256)
  }
  /** The use of a folder, and the reason if it cannot be used. */
  const readUse = (name: string): { use: LocalUse; error?: string } => {
    try {
      const check = checkOf(readFolder(name, 'embedding'))
      return { use: 'embedding', ...(check.state === 'broken' && { error: capitalized(`${check.reason}.`) }) }
    } catch (error) {
      return isReranker(name) ? { use: 'reranking' } : { use: 'embedding', error: (error as Error).message }
    }
  }
  const isReranker = (name: string): boolean => {
    try {
      return readFolder(name, 'reranking').use === 'reranking'
    } catch {
      return false
    }
  }
  const installedState = (name: string): ModelState => (usedModels(ports).includes(name) ? 'active' : 'installed')

  const describe = async (model: CatalogueModel, isThere: boolean): Promise<ListedModel> => {
    const { name, title, license, languages, use, cpuSecondsPerThousand, measured } = model
    const known = {
      ...{ name, title, license, languages, use },
      ...(cpuSecondsPerThousand !== undefined && { cpuSecondsPerThousand }),
      ...(measured && { measured }),
    }
    const bytes = sizeOf(model)
    const progress = fetches.progressOf(name)
    if (progress) return { ...known, bytes, state: 'downloading', progress }
    const failure = fetches.failureOf(name)
    if (isInImage(name)) return { ...known, bytes, state: installedState(name) }
    if (!isThere) return { ...known, bytes, state: 'available', ...(failure !== undefined && { error: failure }) }
    if (await isWhole(model)) return { ...known, bytes, state: installedState(name) }
    // An operator may have copied other files of the model, such as those of full precision.
    const own = await describeOther(name)
    const damage = `Its files are not those of the catalogue. Add the model again.`
    if (own.state === 'damaged' || (await hashOf(join(folders.pathOf(name), 'onnx/model.onnx'))) === undefined)
      return { ...known, bytes, state: 'damaged', error: failure ?? damage }
    return { ...known, bytes: own.bytes, state: own.state }
  }
  const describeOther = async (name: string): Promise<ListedModel> => {
    const { use, error } = readUse(name)
    const bytes = await folders.sizeOf(name)
    const state = error === undefined ? installedState(name) : 'damaged'
    return { name, title: name, license: null, languages: [], use, bytes, state, ...(error !== undefined && { error }) }
  }
  const requireUnused = (name: string): void => {
    if (!usedModels(ports).includes(name)) return
    const sentence = `The model "${name}" is used. Choose another one, or "none", for embedding.provider and llm.rerank first.`
    throw new AppError('job_active', sentence)
  }
  return {
    async list() {
      const names = await folders.names()
      const others = names.filter((name) => catalogueModel(name) === undefined)
      return [
        ...(await Promise.all(catalogue.map((model) => describe(model, names.includes(model.name))))),
        ...(await Promise.all(others.map(describeOther))),
      ]
    },
    async fetch(name, actor) {
      const model = catalogueModel(name)
      if (!model) throw unknownModel(name)
      requireRoom(disk)
      if (fetches.progressOf(name) || isInImage(name) || (await isWhole(model))) return
      audit.record({ actor, action: 'model.add', subject: name })
      fetches.start(model)
    },
    async receive(name, zip, confirm, actor) {
      if (!nameRule.test(name)) throw wrongName(name)
      requireRoom(disk)
      if (fetches.progressOf(name)) throw isFetched(name)
      const beforePublish = () => audit.record({ actor, action: 'model.add', subject: name })
      await receiveModel({ folders, catalogue, name, confirm, beforePublish }, zip)
    },
    async remove(name, actor) {
      const isThere = (await folders.names()).includes(name)
      const hasParts = nameRule.test(name) && existsSync(folders.fetchedOf(name))
      if (!isThere && !hasParts && !fetches.progressOf(name)) throw isInImage(name) ? partOfImage(name) : unknownModel(name)
      if (isThere) requireUnused(name)
      audit.record({ actor, action: 'model.remove', subject: name })
      await fetches.cancel(name)
      if (isThere) await folders.remove(name)
    },
    close: fetches.close,
  }
}

const sizeOf = ({ files }: Pick<CatalogueModel, 'files'>): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The folders that are used. */
function usedModels({ settings, local }: Pick<ModelStorePorts, 'settings' | 'local'>): string[] {
  const choice = embeddingChoice(settings, local)
  const embedding = choice.state === 'active' && choice.provider === 'local' ? choice.model : undefined
  const reranking = settings.get('llm.rerank') === 'local' ? settings.get('llm.rerankModel') : undefined
  return [embedding, reranking].filter((name) => name !== undefined)
}

function requireRoom(disk: DiskGuard): void {
  const shortage = disk.shortage()
  if (shortage === undefined) return
  const sentence = `The disk of DATA_DIR has too little space: ${shortage}. Make room, or lower the setting storage.minFreeMb.`
  throw new AppError('disk_full', sentence)
}

const wrongName = (name: string): AppError =>
  new AppError('validation_error', `"${excerpt(name, 100)}" is not a name of a model: use letters, digits, ".", "_" and "-".`)

const notFound = (name: string, catalogue: readonly CatalogueModel[]): AppError =>
  new AppError(
    'not_found',
    `There is no model "${excerpt(name, 100)}". The catalogue has ${catalogue.map(({ name }) => name).join(', ')}.`,
  )

const partOfImage = (name: string): AppError =>
  new AppError('job_active', `The model "${name}" is a part of the image, so it cannot be deleted.`)

const isFetched = (name: string): AppError =>
  new AppError('job_active', `The model "${name}" is being fetched. Wait until it is installed, or delete it to cancel.`)
