import { AppError, isTransient } from '../../shared/errors.ts'
import { callerSettings } from '../../shared/indexing/source-settings.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import type { NamedLibraries } from '../catalog/catalog-snapshot.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { OptOutChecks } from '../takedown/opt-outs.ts'
import { disallowsIndexing, type ReadWishPorts } from '../takedown/read-wish.ts'
import { type EnqueuePorts, enqueueJob } from './hosted-jobs.ts'

export type CheckOptOutsPorts = ReadWishPorts &
  EnqueuePorts & { catalog: Pick<HostedCatalog, 'record'>; names: NamedLibraries; optOuts: OptOutChecks; log: Log; now(): Date }

/** Every public library is checked once in a round, so that one failed check does not make a day. */
export const roundMs = 12 * 3600 * 1000
const atOnce = 16
const fileMs = 4_000

/**
 * Returns a function that reads the project files of the public libraries whose turn it is, spread evenly over a round. It queues a job for each
 * that disallows indexing, and the worker removes the library, also if its commit has been indexed or nobody refreshes it.
 */
export const checkOptOuts = (ports: CheckOptOutsPorts) => async (signal?: AbortSignal) => {
  const { names, now, optOuts } = ports
  const keys = await publicLibraries(names)
  const time = now().getTime()
  const stored = await optOuts.position()
  const elapsedMs = time - Date.parse(stored?.beganAt ?? '')
  const isOver = stored !== undefined && elapsedMs >= roundMs && countUpTo(keys, stored.after) === keys.length
  if (stored === undefined || isOver) return optOuts.move({ after: '', beganAt: now().toISOString() })
  const due = Math.min(keys.length, Math.ceil((keys.length * elapsedMs) / roundMs))
  for (let from = countUpTo(keys, stored.after); from < due && !signal?.aborted; from += atOnce) {
    const batch = keys.slice(from, Math.min(from + atOnce, due))
    const checked = await Promise.all(batch.map((key) => checkOne(ports, key)))
    // The host does not respond: the same libraries are tried again in the next run.
    if (!checked.includes(true)) return
    await optOuts.move({ ...stored, after: batch.at(-1) ?? '' })
  }
}

/** The keys of libraries, sorted. */
async function publicLibraries(names: NamedLibraries): Promise<string[]> {
  const { libraries } = await names.listed()
  return libraries
    .filter(({ privateTo }) => privateTo === undefined)
    .map(({ id }) => libraryKey(parseLibraryId(id)))
    .sort()
}

/** The number of keys up to one. */
function countUpTo(keys: string[], last: string): number {
  const at = keys.findIndex((key) => key > last)
  return at < 0 ? keys.length : at
}

/** False if the host does not respond. */
async function checkOne(ports: CheckOptOutsPorts, key: string): Promise<boolean> {
  const record = await ports.catalog.record(parseLibraryId(key))
  if (!record || record.library.private || record.settings.source) return true
  try {
    if (await disallowsIndexing(ports, record.sourceUrl, fileMs)) await queueRemoval(ports, record)
    return true
  } catch (error) {
    ports.log.info({ library: record.id, error }, 'the project file of a library cannot be checked')
    return !isTransient(error)
  }
}

/** The job is forced, because one for a commit that has been indexed ends without a worker. */
async function queueRemoval(ports: CheckOptOutsPorts, { key, id, settings, sourceUrl }: CatalogRecord): Promise<void> {
  const request = { ...callerSettings(settings), repoUrl: sourceUrl, force: true, anonymous: true }
  await enqueueJob(ports, { key, project: id, request }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'job_active') throw error
  })
}
