import { randomUUID } from 'node:crypto'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { withTimeout } from '../../shared/time/with-timeout.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { HostedCatalog } from './hosted-catalog.ts'
import { type NamedLists, packLibraries, unpackLibraries } from './pack-libraries.ts'

type Publishing = { catalog: Pick<HostedCatalog, 'all' | 'snapshots'>; objects: Pick<ObjectStore, 'put' | 'remove'> }

type Pointed = { catalog: { snapshots: Pick<HostedCatalog['snapshots'], 'current'> }; objects: Pick<ObjectStore, 'get'> }

type Reading = Pointed & {
  /** Writes a new snapshot when the current one is missing or damaged. If undefined, only the schedule does. */
  repair?(): Promise<void>
  now(): Date
  log: Log
  /** Time between two checks for a newer snapshot. */
  refreshMs: number
}

/** All libraries, in memory. */
export type NamedLibraries = { listed(): Promise<NamedLists & { revision: number }> }

type Snapshot = NamedLists & { object: string | undefined }

/** If no request came for this time, the next one waits for the newest list, because the list in memory may be hours old. */
const staleMs = 60_000
/** A read that was frozen together with its container may never end. */
const maxLoadMs = 10_000

/**
 * Writes the catalog to an object and makes it the snapshot, and repeats that until nothing has changed since. If another process is
 * publishing, it does so for this one, unless `force` is set: after a crash and on schedule. A slow publisher never replaces a newer
 * snapshot. After `signal` is aborted, no further object is written.
 */
export async function publishSnapshot(
  { catalog, objects }: Publishing,
  { force = false, signal }: { force?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { snapshots } = catalog
  let changes = await snapshots.take(force)
  while (changes !== undefined) {
    const object = `catalog/${randomUUID()}.jsonl.gz`
    await snapshots.note(object)
    await objects.put(object, packLibraries(catalog.all()), 'application/gzip')
    await snapshots.publish(object, changes)
    for (const each of await snapshots.abandoned()) {
      await objects.remove(each)
      await snapshots.forget(each)
    }
    changes = (await snapshots.release()) || signal?.aborted ? undefined : await snapshots.take(true)
  }
}

/** Rewrites a missing or damaged snapshot, and publishes changes. */
export async function repairSnapshot(ports: Publishing & Pointed): Promise<void> {
  const lost = await readSnapshot(ports).then(
    () => false,
    (error: unknown) => isLost(error) || Promise.reject(error),
  )
  if (lost) await ports.catalog.snapshots.changed()
  await publishSnapshot(ports, { force: true })
}

/**
 * The list of libraries in memory, refreshed from the snapshot. A call waits for the refresh only if there is no list yet or the list
 * is stale. A failed refresh keeps the old list. Throws search_failed if there is no list yet.
 */
export function catalogSnapshot(ports: Reading): NamedLibraries {
  const { log, now, refreshMs } = ports
  let cached: (Snapshot & { revision: number }) | undefined
  let refreshing: Promise<void> | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  let isFailing = false
  let isRepairing = false

  const load = async () => {
    const current = await ports.catalog.snapshots.current()
    if (cached && current === cached.object) return
    cached = { ...(await readSnapshot(ports)), revision: (cached?.revision ?? 0) + 1 }
  }
  const repair = async () => {
    if (isRepairing) return
    isRepairing = true
    const onFailure = (error: unknown) => log.error({ error }, 'the snapshot of the catalog cannot be rewritten')
    await ports.repair?.().catch(onFailure)
    isRepairing = false
  }
  const keepOld = (error: unknown) => {
    if (isLost(error)) void repair()
    if (!cached) throw isLost(error) ? error : unreadable('The list of libraries cannot be read', error)
    if (!isFailing) log.error({ error }, 'the snapshot of the catalog cannot be read; the list in memory is kept')
    isFailing = true
  }
  const refresh = () => {
    refreshing ??= withTimeout('The list of libraries', maxLoadMs, load)
      .then(() => {
        isFailing = false
      }, keepOld)
      .finally(() => {
        refreshing = undefined
        checkedAt = now().getTime()
      })
    return refreshing
  }
  return {
    async listed() {
      const ageMs = now().getTime() - checkedAt
      if (!cached || (ageMs >= staleMs && !isFailing)) await refresh()
      else if (ageMs >= refreshMs || ageMs < 0) void refresh()
      if (!cached) throw new Error('The snapshot of the catalog was not read.')
      return cached
    },
  }
}

/** Throws search_failed if the snapshot is missing or damaged. */
async function readSnapshot({ catalog, objects }: Pointed): Promise<Snapshot> {
  for (;;) {
    const object = await catalog.snapshots.current()
    if (object === undefined) return { object, libraries: [], unserved: [] }
    const snapshot = await objects.get(object)
    if (snapshot) {
      const lists = await unpackLibraries(snapshot.body).catch((error: unknown) => Promise.reject(lost(error)))
      return { object, ...lists }
    }
    // A missing object may have been replaced between the two reads.
    if (object === (await catalog.snapshots.current())) throw lost()
  }
}

const unreadable = (what: string, cause: unknown): AppError =>
  new AppError('search_failed', `${what}. Try again in a few minutes. Until then, request libraries by their id.`, { cause })

const lost = (cause: unknown = new Error('the object is missing')): AppError =>
  unreadable('The list of libraries was lost and is being rewritten', cause)

const isLost = (error: unknown): boolean => error instanceof AppError && error.code === 'search_failed'
