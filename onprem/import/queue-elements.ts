import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../shared/errors.ts'
import { libraryKey, printLibraryId } from '../../shared/library.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import type { Job } from '../store/job.ts'
import type { JobStore, NewJob } from '../store/job-store.ts'
import type { ProjectCatalog } from '../store/sqlite-catalog.ts'
import type { ImportFolder } from './import-folder.ts'
import type { SkippedElement, Staged } from './stage-elements.ts'
import { type Bundled, versionsOutside } from './versions-outside.ts'

/** More would hold up the answers to others. */
const jobsAtOnce = 100

export type QueueElementsPorts = {
  catalog: Pick<ProjectCatalog, 'versions'>
  jobs: Pick<JobStore, 'enqueueAll'>
  imports: Pick<ImportFolder, 'leave' | 'discard'>
  audit: Pick<AuditLog, 'recordAll'>
  worker: { wake(): void }
}

export type Import = {
  force: boolean
  /** Who imports, for the audit log. */
  actor: string
  /** What jobs say of where their snippets come from. */
  origin: string
}

/** `removed`: versions that go with what replaces their library. `note` says why none does. */
export type QueueAnswer = { queued: string[]; skipped: SkippedElement[]; removed: string[]; note?: string }

/**
 * Queues elements of one body; an element whose id is already in `seen` is skipped and discarded, and each id is added to `seen`. With
 * force, the job of a library's default content removes the versions that are not `bundled`, when it serves that content.
 */
export async function queueElements(
  ports: QueueElementsPorts,
  staged: Staged[],
  asked: Import,
  bundled: Bundled,
  seen: Set<string>,
): Promise<QueueAnswer> {
  const answer: QueueAnswer = { queued: [], skipped: [], removed: [] }
  try {
    for (let at = 0; at < staged.length; at += jobsAtOnce) {
      const { queued, left, removed, note } = queueSome(ports, staged.slice(at, at + jobsAtOnce), asked, bundled, seen, at === 0)
      answer.queued.push(...queued)
      answer.removed.push(...removed)
      if (note !== undefined) answer.note = note
      for (const { element, reason } of left) {
        await ports.imports.discard(element.name)
        answer.skipped.push({ project: printLibraryId(element.id), reason })
      }
      await setImmediate()
    }
  } finally {
    if (answer.queued.length > 0) ports.worker.wake()
  }
  return answer
}

type Left = { element: Staged; reason: string }

/** Nothing comes between what is decided and what is queued. */
function queueSome(
  ports: QueueElementsPorts,
  staged: Staged[],
  { force, actor, origin }: Import,
  bundled: Bundled,
  seen: Set<string>,
  first: boolean,
) {
  const left: Left[] = []
  const chosen: Staged[] = []
  for (const element of staged) {
    const key = keyOf(element)
    if (seen.has(key)) left.push({ element, reason: 'It stands in this import more than once; the first one counts.' })
    else if (!force && exists(ports, element)) left.push({ element, reason: 'already exists' })
    else chosen.push(element)
    seen.add(key)
  }
  let note: string | undefined
  const outside = chosen.map(({ id }) => {
    const versions = force ? versionsOutside(ports.catalog, id, bundled) : []
    if (versions.length === 0 || bundled.unknown === undefined) return versions
    note = `Old versions are kept, because the id of "${bundled.unknown}" cannot be read.`
    return []
  })
  const orders = chosen.map((element, i): NewJob => {
    const request = { staged: element.name, origin, removes: outside[i] ?? [] }
    return { key: keyOf(element), project: printLibraryId(element.id), kind: 'import', request }
  })
  const queued: string[] = []
  const removed: string[] = []
  for (const [i, reason] of enqueue(ports, orders, first).entries()) {
    const element = chosen[i] as Staged
    if (reason !== undefined) left.push({ element, reason })
    else {
      ports.imports.leave(element.name)
      queued.push(printLibraryId(element.id))
      removed.push(...(outside[i] ?? []).map(({ version }) => printLibraryId({ ...element.id, version })))
    }
  }
  if (queued.length > 0) ports.audit.recordAll({ actor, action: 'library.import' }, queued)
  return { queued, left, removed, note }
}

/** Queues jobs in one transaction, and says of each that is not why. Throws where not even the `first` of an import can be. */
function enqueue({ jobs }: QueueElementsPorts, orders: NewJob[], first: boolean): (undefined | string)[] {
  try {
    return jobs.enqueueAll(orders).map((each) => ('inTheWay' in each ? busy(each.inTheWay) : undefined))
  } catch (error) {
    if (first || !(error instanceof AppError)) throw error
    return orders.map(() => error.message)
  }
}

const keyOf = ({ id }: Staged): string => (id.version === undefined ? libraryKey(id) : `${libraryKey(id)}@${id.version}`)

const exists = ({ catalog }: QueueElementsPorts, { id }: Staged): boolean =>
  catalog.versions(id).some(({ version }) => version === (id.version ?? ''))

const busy = ({ kind, id }: Job): string =>
  kind === 'import'
    ? 'already queued'
    : `Its library has an unfinished job (${kind}); wait for it or cancel job ${id}, then import again.`
