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
  find(id: string): Promise<BundleState | undefined>
}

/** The state as a client sees it, with a download link for a finished zip. */
export type BundleStatus = Exclude<BundleState, { state: 'built' }> | { state: 'built'; url: string }

/** Starts building a zip in the background. */
export type RunBundle = (request: BundleRequest) => Promise<void>

const linkExpiresS = 3600
const reportEveryMs = 500

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

type BundleStatusPorts = { bundles: BundleStatusStore; objects: Pick<ObjectStore, 'downloadUrl'> }

/** Throws not_found. */
export async function bundleStatus({ bundles, objects }: BundleStatusPorts, id: string): Promise<BundleStatus> {
  const state = await bundles.find(id)
  if (!state) throw new AppError('not_found', `There is no bundle ${excerpt(id)}; it may have expired.`)
  return state.state === 'built'
    ? { state: 'built', url: await objects.downloadUrl(state.key, zipFileName, linkExpiresS) }
    : state
}

export type BuildBundlePorts = ZipPorts & { bundles: BundleStatusStore; log: Log }

/** Builds a zip and writes its status. Never throws: the status says why a zip failed, also if `signal` aborted it. */
export async function buildBundle(
  ports: BuildBundlePorts,
  { id, libraries }: BundleRequest,
  signal?: AbortSignal,
): Promise<void> {
  const { bundles, log } = ports
  let writing = Promise.resolve()
  let reportedAt = performance.now()
  const report = (state: BundleState) => {
    writing = writing
      .then(() => bundles.write(id, state))
      .catch((error: unknown) => log.warn({ bundle: id, error }, 'the status of a bundle cannot be written'))
    return writing
  }
  try {
    const onProgress = ({ elements, elementsTotal }: ZipProgress) => {
      if (performance.now() - reportedAt < reportEveryMs) return
      reportedAt = performance.now()
      void report({ state: 'building', done: elements, total: elementsTotal })
    }
    const { key } = await buildZip(ports, { id, libraries }, onProgress, signal)
    await report({ state: 'built', key })
  } catch (error) {
    const expectedError = error instanceof AppError ? error : undefined
    if (!expectedError) log.error({ bundle: id, error }, 'a bundle failed')
    const { code, message } =
      expectedError ?? new AppError('internal_error', 'The bundle failed unexpectedly. The log of the server has the details.')
    await report({ state: 'failed', code, message })
  }
}
