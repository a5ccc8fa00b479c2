import { randomUUID } from 'node:crypto'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { buildExport, type ExportBuild } from './build-export.ts'
import { buildZip, type ZipPorts, zipFileName } from './build-zip.ts'

/** A zip of libraries, or the export of one. */
export type BundleRequest = { id: string; libraries: string[] } | ExportBuild

export type BundleState =
  /** Versions of a zip, bytes of an export; `total` is 0 until that is known. */
  | { state: 'building'; done: number; total: number }
  /** `bytes` is the size of the file. */
  | { state: 'built'; key: string; bytes?: number }
  | { state: 'failed'; code: AppError['code']; message: string }

/** The progress of each build. */
export type BundleStatusStore = {
  /** Begins a build with the state `building`. False if a build with this id is alive. */
  claim(id: string): Promise<boolean>
  write(id: string, state: BundleState): Promise<void>
  /** The state, and when it was written. */
  find(id: string): Promise<{ state: BundleState; at: Date } | undefined>
}

/** The state as a client sees it, with a download link for a finished zip. */
export type BundleStatus = Exclude<BundleState, { state: 'built' }> | { state: 'built'; url: string; bytes?: number }

/** Starts building a zip in the background. */
export type RunBundle = (request: BundleRequest) => Promise<void>

const linkExpiresS = 3600
const reportEveryMs = 500
/** A builder writes its status again after this time, even without progress. */
const heartbeatMs = 30_000
/** A builder without a heartbeat for this time is dead, or was never started. */
export const deadMs = 300_000

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

/** The link of a zip expires after an hour, or after `maxLinkMs`. Throws not_found. */
export async function bundleStatus(
  { bundles, objects, now }: BundleStatusPorts,
  id: string,
  maxLinkMs = Number.POSITIVE_INFINITY,
): Promise<BundleStatus> {
  const found = await bundles.find(id)
  if (!found) throw new AppError('not_found', `There is no bundle ${excerpt(id)}; it may have expired.`)
  const state = currentState(found, now())
  if (state.state !== 'built') return state
  const { key, bytes } = state
  const expiresS = Math.min(linkExpiresS, Math.max(1, Math.floor(maxLinkMs / 1000)))
  return { state: 'built', url: await objects.downloadUrl(key, zipFileName, expiresS), ...(bytes !== undefined && { bytes }) }
}

/** The state that a store returned; `failed` if its builder is dead. */
export function currentState({ state, at }: { state: BundleState; at: Date }, now: Date): BundleState {
  if (state.state !== 'building' || now.getTime() - at.getTime() <= deadMs) return state
  return {
    state: 'failed',
    code: 'temporarily_unavailable',
    message: 'The process that built the bundle ended. Build it again.',
  }
}

export type BuildBundlePorts = ZipPorts & { bundles: BundleStatusStore; log: Log; heartbeatMs?: number }

/** Builds a zip or an export and writes its status. Never throws: the status says why it failed, also if `signal` aborted it. */
export async function buildBundle(ports: BuildBundlePorts, request: BundleRequest, signal?: AbortSignal): Promise<void> {
  const { bundles, log } = ports
  const { id } = request
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
    const onProgress = (done: number, total: number) => {
      building = { state: 'building', done, total }
      if (performance.now() - reportedAt < reportEveryMs) return
      reportedAt = performance.now()
      void report(building)
    }
    const { key, sizeBytes } = await build(ports, request, onProgress, signal).finally(() => clearInterval(heartbeat))
    await report({ state: 'built', key, ...(sizeBytes !== undefined && { bytes: sizeBytes }) })
  } catch (error) {
    const expectedError = error instanceof AppError ? error : undefined
    if (!expectedError) log.error({ bundle: id, error }, 'a bundle failed')
    const { code, message } =
      expectedError ?? new AppError('internal_error', 'The bundle failed unexpectedly. The log of the server has the details.')
    await report({ state: 'failed', code, message })
  }
}

const build = (
  ports: BuildBundlePorts,
  request: BundleRequest,
  onProgress: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<{ key: string; sizeBytes?: number }> =>
  'library' in request
    ? buildExport(ports, request, onProgress, signal)
    : buildZip(ports, request, ({ elements, elementsTotal }) => onProgress(elements, elementsTotal), signal)
