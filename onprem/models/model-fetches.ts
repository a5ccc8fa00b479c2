import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CatalogueModel } from '../../shared/ai/local/catalogue.ts'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { openConnections } from '../../shared/network/connections.ts'
import type { Network } from '../../shared/network/network.ts'
import type { TransferLimits } from '../../shared/network/transfer-limits.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { asFullDisk } from '../../shared/system/full-disk.ts'
import { fetchModelFile } from './fetch-model-file.ts'
import { fileHashes } from './hash-file.ts'
import type { ModelFolders } from './model-folders.ts'

type Progress = { doneBytes: number; totalBytes: number }
type Fetch = Progress & { cancel: AbortController; ended: Promise<void> }

/** The models that are being fetched, each once. */
export type ModelFetches = {
  start(model: CatalogueModel): void
  /** Undefined unless the model is being fetched. */
  progressOf(name: string): Progress | undefined
  /** The reason why the last fetch of a model failed, until the next one. */
  failureOf(name: string): string | undefined
  /** Ends a fetch, if there is one, and deletes what has been fetched. */
  cancel(name: string): Promise<void>
  /** Ends all. What has been fetched remains. */
  close(): Promise<void>
}

type ModelFetchesPorts = {
  settings: Pick<SettingsStore, 'get'>
  network: Network
  folders: ModelFolders
  limits: TransferLimits
  log: Log
}

export function modelFetches(ports: ModelFetchesPorts): ModelFetches {
  const { folders, log } = ports
  const running = new Map<string, Fetch>()
  const failures = new Map<string, string>()

  const run = async (model: CatalogueModel, fetch: Fetch): Promise<void> => {
    const { name } = model
    try {
      await fetchFiles(ports, model, fetch)
      await folders.publish(folders.fetchedOf(name), name)
      log.info({ model: name }, 'a model was added')
    } catch (thrown) {
      if (fetch.cancel.signal.aborted) return
      const error = asFullDisk(thrown)
      failures.set(name, error instanceof AppError ? error.message : 'It failed for a reason that is in the log of the server.')
      log.info({ model: name, error }, 'a model could not be added')
    } finally {
      running.delete(name)
    }
  }
  return {
    start(model) {
      if (running.has(model.name)) return
      failures.delete(model.name)
      const totalBytes = model.files.reduce((sum, { bytes }) => sum + bytes, 0)
      const fetch: Fetch = { doneBytes: 0, totalBytes, cancel: new AbortController(), ended: Promise.resolve() }
      running.set(model.name, fetch)
      fetch.ended = run(model, fetch)
    },
    progressOf(name) {
      const fetch = running.get(name)
      return fetch && { doneBytes: fetch.doneBytes, totalBytes: fetch.totalBytes }
    },
    failureOf: (name) => failures.get(name),
    async cancel(name) {
      const fetch = running.get(name)
      fetch?.cancel.abort()
      await fetch?.ended
      failures.delete(name)
      await rm(folders.fetchedOf(name), { recursive: true, force: true })
    },
    async close() {
      const fetches = [...running.values()]
      for (const { cancel } of fetches) cancel.abort()
      await Promise.all(fetches.map(({ ended }) => ended))
    },
  }
}

async function fetchFiles({ settings, network, folders, limits }: ModelFetchesPorts, model: CatalogueModel, fetch: Fetch) {
  const { signal } = fetch.cancel
  const hashOf = fileHashes()
  const connections = await openConnections(network, limits.headMs)
  try {
    let fetchedBytes = 0
    for (const file of model.files) {
      const path = join(folders.fetchedOf(model.name), file.path)
      const onProgress = (bytes: number) => {
        fetch.doneBytes = fetchedBytes + bytes
      }
      if ((await hashOf(path)) !== file.sha256)
        await fetchModelFile(connections, { hub: settings.get('models.hub'), model, file, path, signal, limits, onProgress })
      signal.throwIfAborted()
      fetchedBytes += file.bytes
      fetch.doneBytes = fetchedBytes
    }
  } finally {
    connections.close()
  }
}
