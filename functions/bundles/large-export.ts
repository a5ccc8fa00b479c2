import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, printLibraryId, shownId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import { pluralize } from '../../shared/text/figures.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { type BundleStatusStore, currentState, type RunBundle } from './bundle-status.ts'
import { findCachedExport } from './cache-export.ts'
import { type ExportCatalog, type ExportElement, exportElements, exportFile, sizeOf } from './export-elements.ts'
import type { ExportLimits } from './export-library.ts'
import { rejectUnimportable } from './plan-zip.ts'

export type LargeExportPorts = {
  catalog: ExportCatalog
  objects: Pick<ObjectStore, 'get' | 'downloadUrl'>
  bundles: BundleStatusStore
  runBundle: RunBundle
  log: Log
  limits: ExportLimits
  now(): Date
}

/** Enough to begin a download; one that has begun may take longer. */
const linkExpiresS = 300
const pollMs = 250
const retryAfterMs = 5_000

/**
 * The address of an export that is too large for a response, undefined for any other. It is built in the background if it is not stored yet.
 * Throws what `exportElements` throws, payload_too_large and library_too_large if no install could import it, search_failed if it cannot
 * be built, and temporarily_unavailable while it is being built.
 */
export async function largeExport(ports: LargeExportPorts, library: string): Promise<string | undefined> {
  const id = readLibraryId(library)
  for (let attempt = 1; ; attempt++) {
    const elements = await exportElements(ports.catalog, id)
    const sizeBytes = sizeOf(elements)
    if (sizeBytes <= ports.limits.bytes) return undefined
    rejectUnbuildable(id, elements, sizeBytes, ports.limits.storedBytes)
    const { key, buildId } = exportFile(elements)
    try {
      if (!(await isStored(ports, key, sizeBytes))) await build(ports, { id: buildId, library: printLibraryId(id) }, sizeBytes)
      // It may have been deleted or made private meanwhile.
      await exportElements(ports.catalog, id)
      return await ports.objects.downloadUrl(key, fileName(id), linkExpiresS)
    } catch (error) {
      // The content was replaced before the builder read it.
      if (attempt > 1 || !(error instanceof AppError) || error.code !== 'not_found') throw error
    }
  }
}

async function isStored(ports: LargeExportPorts, key: string, sizeBytes: number): Promise<boolean> {
  const stored = await findCachedExport({ ...ports, storeTimeoutMs: ports.limits.storeTimeoutMs }, key, sizeBytes)
  if (stored === 'unknown')
    throw new AppError('temporarily_unavailable', 'Stored exports cannot be read now. Try again in a few seconds.', {
      retryAfterMs,
    })
  stored?.body.destroy()
  return stored !== undefined
}

/** Starts a build, unless one runs already, and waits for its end. */
async function build(
  { bundles, runBundle, limits, now }: LargeExportPorts,
  request: { id: string; library: string },
  sizeBytes: number,
): Promise<void> {
  const endAt = performance.now() + limits.buildWaitMs
  if (await bundles.claim(request.id)) await runBundle(request).catch((error: unknown) => giveUp(bundles, request.id, error))
  for (;;) {
    const found = await bundles.find(request.id)
    const state = found && currentState(found, now())
    if (state?.state === 'built') return
    if (state?.state === 'failed') throw new AppError(state.code, state.message)
    if (performance.now() >= endAt) throw stillBuilding(request.library, sizeBytes, state?.done ?? 0)
    await sleep(pollMs)
  }
}

/** The next request starts a build again. */
async function giveUp(bundles: BundleStatusStore, id: string, error: unknown): Promise<never> {
  const message = 'The export could not be started. Try again in a few seconds.'
  await bundles.write(id, { state: 'failed', code: 'temporarily_unavailable', message })
  throw new AppError('temporarily_unavailable', message, { cause: error, retryAfterMs })
}

function stillBuilding(library: string, sizeBytes: number, doneBytes: number): AppError {
  const percent = Math.min(99, Math.floor((100 * doneBytes) / sizeBytes))
  const message = `The export of ${library} has ${sizeBytes} bytes and is being built: ${percent} %. Repeat the request in a few seconds.`
  return new AppError('temporarily_unavailable', message, { retryAfterMs })
}

function rejectUnbuildable(id: LibraryId, elements: ExportElement[], sizeBytes: number, limitBytes: number): void {
  for (const element of elements) rejectUnimportable(element)
  if (sizeBytes <= limitBytes) return
  const smaller = `It has ${pluralize(elements.length, 'version')}: name one of them, as /owner/repo@version.`
  const message = `The export of ${shownId(id)} has ${sizeBytes} bytes; the limit is ${limitBytes} bytes. ${smaller}`
  throw new AppError('payload_too_large', message, { fields: { sizeBytes, limitBytes } })
}

const fileName = ({ owner, repo }: LibraryId): string => `${owner}-${repo}.json`
