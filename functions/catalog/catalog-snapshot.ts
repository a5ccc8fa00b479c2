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
  /** Is asked for a new snapshot where the one that is pointed to is gone or damaged. Without it, the schedule alone writes one. */
  mend?(): Promise<void>
  now(): Date
  log: Log
  /** For so long nobody looks whether there is a newer snapshot. */
  refreshMs: number
}

/** All libraries, in memory. */
export type NamedLibraries = { listed(): Promise<NamedLists & { revision: number }> }

type Snapshot = NamedLists & { object: string | undefined }

/** Who was not asked for so long waits for the newest list: what it holds may be hours old. */
const staleMs = 60_000
/** A read that was frozen with its container may never end. */
const maxLoadMs = 10_000

/**
 * Writes the catalog to an object and makes that the snapshot, again and again until nothing has changed since. Where another publishes,
 * that one goes on until then, unless it is `insisted`: after a crash and on schedule. A slow publisher never undoes a newer one.
 * Once `signal` is aborted no further object is written.
 */
export async function publishSnapshot(
  { catalog, objects }: Publishing,
  { insisted = false, signal }: { insisted?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { snapshots } = catalog
  let changes = await snapshots.take(insisted)
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

/** What the schedule does: writes the snapshot anew where it is gone or damaged, and publishes what has changed. */
export async function repairSnapshot(ports: Publishing & Pointed): Promise<void> {
  const lost = await readSnapshot(ports).then(
    () => false,
    (error: unknown) => isLost(error) || Promise.reject(error),
  )
  if (lost) await ports.catalog.snapshots.changed()
  await publishSnapshot(ports, { insisted: true })
}

/**
 * Only the first caller waits for a reading, and who was not asked for long; one that fails keeps the old list. Throws search_failed
 * where there is none yet.
 */
export function catalogSnapshot(ports: Reading): NamedLibraries {
  const { log, now, refreshMs } = ports
  let held: (Snapshot & { revision: number }) | undefined
  let refreshing: Promise<void> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let isFailing = false
  let isMending = false

  const load = async () => {
    const current = await ports.catalog.snapshots.current()
    if (held && current === held.object) return
    held = { ...(await readSnapshot(ports)), revision: (held?.revision ?? 0) + 1 }
  }
  const mend = async () => {
    if (isMending) return
    isMending = true
    const onFailure = (error: unknown) => log.error({ error }, 'the snapshot of the catalog cannot be written anew')
    await ports.mend?.().catch(onFailure)
    isMending = false
  }
  const keepOld = (error: unknown) => {
    if (isLost(error)) void mend()
    if (!held) throw isLost(error) ? error : unreadable('The list of libraries cannot be read', error)
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
        lookedAt = now().getTime()
      })
    return refreshing
  }
  return {
    async listed() {
      const ageMs = now().getTime() - lookedAt
      if (!held || (ageMs >= staleMs && !isFailing)) await refresh()
      else if (ageMs >= refreshMs || ageMs < 0) void refresh()
      if (!held) throw new Error('the snapshot of the catalog was not read')
      return held
    },
  }
}

/** The snapshot that is pointed to. Throws search_failed where it is gone or damaged. */
async function readSnapshot({ catalog, objects }: Pointed): Promise<Snapshot> {
  for (;;) {
    const object = await catalog.snapshots.current()
    if (object === undefined) return { object, libraries: [], unserved: [] }
    const found = await objects.get(object)
    if (found) {
      const lists = await unpackLibraries(found.body).catch((error: unknown) => Promise.reject(lost(error)))
      return { object, ...lists }
    }
    // An object that is gone may have been replaced between the two readings.
    if (object === (await catalog.snapshots.current())) throw lost()
  }
}

const unreadable = (what: string, cause: unknown): AppError =>
  new AppError('search_failed', `${what}. Ask again in a few minutes; libraries answer by their id meanwhile.`, { cause })

const lost = (cause: unknown = new Error('the object is missing')): AppError =>
  unreadable('The list of libraries was lost and is being written anew', cause)

const isLost = (error: unknown): boolean => error instanceof AppError && error.code === 'search_failed'
