import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { AppError } from '../../shared/errors.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { withTimeout } from '../../shared/time/with-timeout.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { CatalogRecord } from './catalog-record.ts'
import type { Change, HostedCatalog, Turn } from './hosted-catalog.ts'
import { libraryLine, type NamedLists, packLines, unpackLibraries, unpackLines } from './pack-libraries.ts'

type Publishing = {
  catalog: Pick<HostedCatalog, 'all' | 'record' | 'snapshots'>
  objects: Pick<ObjectStore, 'get' | 'put' | 'remove'>
  now(): Date
}

export type PublishOptions = {
  force?: boolean | undefined
  /** True to read the whole catalog instead of the last snapshot and what has changed since. */
  whole?: boolean
  everyMs?: number
  signal?: AbortSignal | undefined
}

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
/** The longest time that a caller waits for the newest list while there is an older one, and while there is none. */
const maxWaitMs = { older: 2_000, none: 4_000 }
/** If the newest list cannot be read, the one in memory is served for this time since it was the newest. */
export const maxOldMs = 3_600_000

/** One pass over the catalog or over its changes. */
type Round = { turn: Turn; changes: Change[]; isWhole: boolean }

/** Time between two snapshots, in which changes are gathered. */
export const publishEveryMs = 1_000
/** A writer that noted a change has written it by then, or is dead. A removed record is settled only then, because it may be added again. */
const writtenMs = 120_000
/** Once a day the snapshot is written from the whole catalog. */
const wholeEveryMs = 24 * 3600 * 1000
const readsAtOnce = 16

/**
 * Writes the changes since the last snapshot into a new one, and repeats that until nothing more has changed, at most once in `everyMs`. If
 * another process is publishing, it does so for this one, unless `force` is set: on schedule. A snapshot replaces only the one that it was
 * made from. After `signal` is aborted, no further object is written.
 */
export async function publishSnapshot(ports: Publishing, options: PublishOptions = {}): Promise<void> {
  const { snapshots } = ports.catalog
  let { force = false } = options
  let waiting = new Set<string>()
  while (!options.signal?.aborted) {
    const noted = await snapshots.changes()
    const isNew = noted.some((change) => !waiting.has(textOf(change)))
    if (!isNew && !options.whole && (await snapshots.current()) !== undefined) return
    const turn = await snapshots.take(force)
    if (!turn) return
    const left = await publishOnce(ports, turn, options)
    await snapshots.release(turn)
    waiting = new Set(left.map(textOf))
    options = { ...options, whole: false }
    force = true
  }
}

/** Returns the changes whose writers may not have written them yet. */
async function publishOnce(
  ports: Publishing,
  turn: Turn,
  { everyMs = 0, whole = false, signal }: PublishOptions,
): Promise<Change[]> {
  const { catalog, now } = ports
  const pauseMs = Math.min(everyMs, turn.publishedAt + everyMs - now().getTime())
  if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  if (signal?.aborted) return []
  const changes = await catalog.snapshots.changes()
  const round = { turn, changes, isWhole: whole || turn.object === undefined }
  const revisions = await write(ports, round).catch((error: unknown) => {
    if (round.isWhole || !isLost(error)) throw error
    return write(ports, { ...round, isWhole: true })
  })
  if (revisions === 'overtaken') return []
  const isWritten = ({ key, revision, at }: Change) => (revisions.get(key) ?? 0) >= revision || now().getTime() - at > writtenMs
  const [written, left] = [changes.filter(isWritten), changes.filter((change) => !isWritten(change))]
  await catalog.snapshots.settle(written)
  await removeAbandoned(ports)
  return left
}

/** The revisions of the changed records in the new snapshot, or 'overtaken' if another process has published meanwhile. */
async function write({ catalog, objects }: Publishing, { turn, changes, isWhole }: Round) {
  const revisions = new Map<string, number>()
  const object = `catalog/${randomUUID()}.jsonl.gz`
  await catalog.snapshots.note(object)
  const records = await pLimit(readsAtOnce).map(isWhole ? [] : changes, ({ key }) => catalog.record(parseLibraryId(key)))
  const changed = new Map(changes.map(({ key }, n) => [key, records[n]]))
  const before = isWhole || turn.object === undefined ? undefined : await objects.get(turn.object)
  if (!isWhole && !before) throw lost()
  const lines = before ? changedLines(before.body, changed, revisions) : allLines(catalog, changes, revisions)
  await objects.put(object, packLines(lines), 'application/gzip')
  return (await catalog.snapshots.publish(object, turn, isWhole)) ? revisions : 'overtaken'
}

async function removeAbandoned({ catalog: { snapshots }, objects }: Publishing): Promise<void> {
  for (const each of await snapshots.abandoned()) {
    await objects.remove(each)
    await snapshots.forget(each)
  }
}

async function* allLines(
  catalog: Pick<HostedCatalog, 'all'>,
  changes: Change[],
  revisions: Map<string, number>,
): AsyncGenerator<string> {
  const changed = new Set(changes.map(({ key }) => key))
  for await (const record of catalog.all()) {
    if (changed.has(record.key)) revisions.set(record.key, record.revision)
    yield `${libraryLine(record)}\n`
  }
}

/** The lines of a snapshot, with the present ones of the changed records. Throws search_failed if the snapshot is damaged. */
async function* changedLines(
  before: Readable,
  changed: Map<string, CatalogRecord | undefined>,
  revisions: Map<string, number>,
): AsyncGenerator<string> {
  try {
    for await (const line of unpackLines(before)) {
      const { id } = JSON.parse(line) as { id: string }
      if (!changed.has(libraryKey(parseLibraryId(id)))) yield `${line}\n`
    }
  } catch (error) {
    throw damaged(error)
  }
  for (const [key, record] of changed) {
    if (record) yield `${libraryLine(record)}\n`
    if (record) revisions.set(key, record.revision)
  }
}

const textOf = ({ key, revision }: Change): string => `${key} ${revision}`

/** Rewrites a missing or damaged snapshot, and an old one from the whole catalog, and publishes changes. */
export async function repairSnapshot(ports: Publishing & Pointed, options: PublishOptions = {}): Promise<void> {
  const isLostNow = await readSnapshot(ports).then(
    () => false,
    (error: unknown) => isLost(error) || Promise.reject(error),
  )
  const ageMs = ports.now().getTime() - (await ports.catalog.snapshots.wholeAt())
  await publishSnapshot(ports, { ...options, force: true, whole: isLostNow || ageMs > wholeEveryMs })
}

/**
 * The list of libraries in memory, refreshed from the snapshot. A call waits for the refresh only if there is no list yet or the list
 * is stale. A failed or slow refresh keeps the old list for an hour. Throws search_failed if there is no list, or only an older one.
 */
export function catalogSnapshot(ports: Reading): NamedLibraries {
  const { log, now, refreshMs } = ports
  let cached: (Snapshot & { revision: number }) | undefined
  let refreshing: Promise<void> | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  let newestAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  let isRepairing = false

  const load = async () => {
    const startedAt = now().getTime()
    const current = await ports.catalog.snapshots.current()
    if (!cached || current !== cached.object) cached = { ...(await readSnapshot(ports)), revision: (cached?.revision ?? 0) + 1 }
    newestAt = startedAt
    failure = undefined
  }
  const repair = async () => {
    if (isRepairing) return
    isRepairing = true
    const onFailure = (error: unknown) => log.error({ error }, 'the snapshot of the catalog cannot be rewritten')
    await ports.repair?.().catch(onFailure)
    isRepairing = false
  }
  const note = (error: unknown) => {
    if (isLost(error)) void repair()
    if (cached && failure === undefined)
      log.error({ error }, 'the snapshot of the catalog cannot be read; the list in memory is kept')
    failure = error
  }
  const refresh = () => {
    refreshing ??= withTimeout('The list of libraries', maxLoadMs, load)
      .catch(note)
      .finally(() => {
        refreshing = undefined
        checkedAt = now().getTime()
      })
    return refreshing
  }
  const refreshWithin = (maxMs: number) => withTimeout('The list of libraries', maxMs, refresh).catch(() => undefined)
  const usable = () => (now().getTime() - newestAt > maxOldMs ? undefined : cached)
  return {
    async listed() {
      const ageMs = now().getTime() - checkedAt
      if (!usable()) await refreshWithin(maxWaitMs.none)
      else if (ageMs >= staleMs && failure === undefined) await refreshWithin(maxWaitMs.older)
      else if (ageMs >= refreshMs || ageMs < 0) void refresh()
      return usable() ?? Promise.reject(isLost(failure) ? failure : unreadable('The list of libraries cannot be read', failure))
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
      const lists = await unpackLibraries(snapshot.body).catch((error: unknown) => Promise.reject(damaged(error)))
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

/** A snapshot in a newer format is not damaged: its writer goes on with it. */
const damaged = (error: unknown): unknown => (error instanceof AppError ? error : lost(error))

const isLost = (error: unknown): boolean => error instanceof AppError && error.code === 'search_failed'
