import { randomUUID } from 'node:crypto'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { buildZip, type ZipPorts, type ZipProgress, zipFileName } from './build-zip.ts'

export type BundleRequest = { id: string; libraries: string[] }

export type BundleState =
  /** Versions; `total` is 0 until that is known. */
  | { state: 'building'; done: number; total: number }
  | { state: 'built'; key: string }
  | { state: 'failed'; code: AppError['code']; message: string }

/** The progress of each zip. */
export type BundleStatusStore = {
  write(id: string, state: BundleState): Promise<void>
  /** The state, and when it was written. */
  find(id: string): Promise<{ state: BundleState; at: Date } | undefined>
}

/** The state as a client sees it, with a download link for a finished zip. */
export type BundleStatus = Exclude<BundleState, { state: 'built' }> | { state: 'built'; url: string }

/** Starts building a zip in the background. */
export type RunBundle = (request: BundleRequest) => Promise<void>

const linkExpiresS = 3600
const reportEveryMs = 500
/** A builder writes its status again after this time, even without progress. */
const heartbeatMs = 30_000
/** A builder without a heartbeat for this time is dead, or was never started. */
const deadMs = 300_000

/** Starts building a zip in the background and returns the id of its status. */
export async function startBundle(
  { bundles, runBundle }: { bundles: BundleStatusStore; runBundle: RunBundle },
  libraries: string[],
): Promise<{ id: string }> {
  const id = randomUUID()
  await bundles.write(id, { state: 'building', done: 0, total: 0 })
  await runBundle({ id, libraries })
  return { id }
}

type BundleStatusPorts = { bundles: BundleStatusStore; objects: Pick<ObjectStore, 'downloadUrl'>; now(): Date }

/** Throws not_found. */
export async function bundleStatus({ bundles, objects, now }: BundleStatusPorts, id: string): Promise<BundleStatus> {
  const found = await bundles.find(id)
  if (!found) throw new AppError('not_found', `There is no bundle ${excerpt(id)}; it may have expired.`)
  const { state, at } = found
  if (state.state === 'building' && now().getTime() - at.getTime() > deadMs)
    return {
      state: 'failed',
      code: 'temporarily_unavailable',
      message: 'The process that built the bundle ended. Build it again.',
    }
  return state.state === 'built'
    ? { state: 'built', url: await objects.downloadUrl(state.key, zipFileName, linkExpiresS) }
    : state
}

export type BuildBundlePorts = ZipPorts & { bundles: BundleStatusStore; log: Log; heartbeatMs?: number }

/** Builds a zip and writes its status. Never throws: the status says why a zip failed, also if `signal` aborted it. */
export async function buildBundle(
  ports: BuildBundlePorts,
  { id, libraries }: BundleRequest,
  signal?: AbortSignal,
): Promise<void> {
  const { bundles, log } = ports
  let writing = Promise.resolve()
  let reportedAt = performance.now()
  let building: BundleState = { state: 'building', done: 0, total: 0 }
  const report = (state: BundleState) => {
    writing = writing
      .then(() => bundles.write(id, state))
      .catch((error: unknown) => log.warn({ bundle: id, error }, 'the status of a bundle cannot be written'))
    return writing
  }
  const heartbeat = setInterval(() => void report(building), ports.heartbeatMs ?? heartbeatMs)
  try {
    const onProgress = ({ elements, elementsTotal }: ZipProgress) => {
      building = { state: 'building', done: elements, total: elementsTotal }
      if (performance.now() - reportedAt < reportEveryMs) return
      reportedAt = performance.now()
      void report(building)
    }
    const { key } = await buildZip(ports, { id, libraries }, onProgress, signal).finally(() => clearInterval(heartbeat))
    await report({ state: 'built', key })
  } catch (error) {
    const expectedError = error instanceof AppError ? error : undefined
    if (!expectedError) log.error({ bundle: id, error }, 'a bundle failed')
    const { code, message } =
      expectedError ?? new AppError('internal_error', 'The bundle failed unexpectedly. The log of the server has the details.')
    await report({ state: 'failed', code, message })
  }
}
