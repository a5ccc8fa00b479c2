import { randomUUID } from 'node:crypto'
import { AppError, type ErrorCode } from '../../shared/errors.ts'
import type { Hosted } from '../hosted.ts'
import { buildZip, type ZipPorts, type ZipProgress, zipFileName } from './build-zip.ts'

export type BundleRequest = { id: string; libraries: string[] }

export type BundleState =
  /** Versions; `total` is 0 until that is known. */
  | { state: 'building'; done: number; total: number }
  | { state: 'built'; key: string }
  | { state: 'failed'; code: ErrorCode; message: string }

/** How far each zip is. */
export type BundleStatusStore = {
  write(id: string, state: BundleState): Promise<void>
  find(id: string): Promise<BundleState | undefined>
}

/** What a client is told: where to fetch a zip that is built. */
export type BundleStatus = Exclude<BundleState, { state: 'built' }> | { state: 'built'; url: string }

const linkS = 3600
const saidEveryMs = 500

/** Has a zip built in the background. Answers at once. */
export async function startBundle(
  { bundles, runBundle }: Pick<Hosted, 'bundles' | 'runBundle'>,
  libraries: string[],
): Promise<{ id: string }> {
  const id = randomUUID()
  await bundles.write(id, { state: 'building', done: 0, total: 0 })
  await runBundle({ id, libraries })
  return { id }
}

/** How far a zip is. Throws not_found. */
export async function bundleStatus({ bundles, objects }: Pick<Hosted, 'bundles' | 'objects'>, id: string): Promise<BundleStatus> {
  const state = await bundles.find(id)
  if (!state) throw new AppError('not_found', `There is no bundle ${id.slice(0, 100)}; it may have expired.`)
  return state.state === 'built' ? { state: 'built', url: await objects.downloadUrl(state.key, zipFileName, linkS) } : state
}

/** Builds a zip and keeps the book of it; what goes wrong stands there, also that `signal` broke it off. */
export async function buildBundle(
  ports: ZipPorts & Pick<Hosted, 'bundles' | 'log'>,
  { id, libraries }: BundleRequest,
  signal?: AbortSignal,
): Promise<void> {
  const { bundles, log } = ports
  let writing = Promise.resolve()
  let saidAt = performance.now()
  const say = (state: BundleState) => {
    writing = writing
      .then(() => bundles.write(id, state))
      .catch((error: unknown) => log.warn({ bundle: id, error }, 'progress of a bundle cannot be written'))
    return writing
  }
  try {
    const onProgress = ({ elements, elementsTotal }: ZipProgress) => {
      if (performance.now() - saidAt < saidEveryMs) return
      saidAt = performance.now()
      void say({ state: 'building', done: elements, total: elementsTotal })
    }
    const { key } = await buildZip(ports, { id, libraries }, onProgress, signal)
    await say({ state: 'built', key })
  } catch (error) {
    const known = error instanceof AppError && error.shown ? error : undefined
    if (!known) log.error({ bundle: id, error }, 'a bundle failed')
    const { code, message } = known ?? new AppError('internal_error', 'The bundle failed unexpectedly. The log has the details.')
    await say({ state: 'failed', code, message })
  }
}
