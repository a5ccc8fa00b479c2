import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, printLibraryId, versionKey } from '../../shared/library.ts'
import { pluralize } from '../../shared/text/figures.ts'
import { isVisible, type VisiblePorts } from '../access/among-visible.ts'
import { actorOf, type Caller, turnOf } from '../access/caller.ts'
import type { DeclaredPorts } from '../access/declared-in-git.ts'
import { mayReplace, replacesParsed, whyNot } from '../access/may-replace.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { LibraryOwners } from '../store/catalog/library-owners.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { Job, NewJob } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import type { ImportFolder } from './import-folder.ts'
import type { SkippedElement, StagedElement, UnknownFields } from './stage-elements.ts'
import { type Bundled, unbundledVersions } from './unbundled-versions.ts'

/** Jobs in one transaction. More would delay other requests. */
const batchJobs = 100

export type QueueElementsPorts = DeclaredPorts &
  VisiblePorts & {
    catalog: Pick<InstallCatalog, 'find' | 'versions'>
    owners: Pick<LibraryOwners, 'of'>
    atomically: Atomically
    jobs: Pick<JobStore, 'enqueueAll'>
    imports: Pick<ImportFolder, 'handOver' | 'discard'>
    audit: Pick<AuditLog, 'recordAll'>
    worker: { wake(): void }
    deletions: { finish(library: LibraryId): void }
  }

export type ImportOptions = {
  force: boolean
  caller: Caller
  /** The source of the snippets, as a sentence for the logs of the jobs. */
  origin: string
}

/**
 * `removed`: versions that are removed when their library is replaced. `note`: the reason if none is. `noted`: the number of queued elements with omissions or changes.
 */
export type QueueAnswer = { queued: string[]; skipped: SkippedElement[]; removed: string[]; noted: number; note?: string }

/**
 * Queues the elements of one body. Skips and discards an element whose id is in `seen`, and adds each id to it. With force, the job of a
 * library's default content removes the versions that are not `bundled` when it publishes that content.
 */
export async function queueElements(
  ports: QueueElementsPorts,
  staged: StagedElement[],
  request: ImportOptions,
  bundled: Bundled,
  seen: Set<string>,
): Promise<QueueAnswer> {
  const answer: QueueAnswer = { queued: [], skipped: [], removed: [], noted: 0 }
  try {
    for (let at = 0; at < staged.length; at += batchJobs) {
      const { queued, skipped, removed, noted, note } = queueBatch(
        ports,
        staged.slice(at, at + batchJobs),
        request,
        bundled,
        seen,
        at === 0,
      )
      answer.queued.push(...queued)
      answer.removed.push(...removed)
      answer.noted += noted
      if (note !== undefined) answer.note = note
      for (const { element, reason } of skipped) {
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

type Skipped = { element: StagedElement; reason: string }

/** Synchronous, so that nothing changes between the decision and the queueing. */
function queueBatch(
  ports: QueueElementsPorts,
  staged: StagedElement[],
  { force, caller, origin }: ImportOptions,
  bundled: Bundled,
  seen: Set<string>,
  first: boolean,
) {
  const skipped: Skipped[] = []
  const chosen: StagedElement[] = []
  for (const element of staged) {
    const key = versionKey(element.id)
    if (seen.has(key)) skipped.push({ element, reason: 'It is in this import more than once; only the first one is imported.' })
    else if (!isVisible(ports, caller, element.id)) skipped.push({ element, reason: notYours })
    else if (!force && exists(ports, element)) skipped.push({ element, reason: 'already exists' })
    else if (replacesParsed(ports, element.id) && !mayReplace(ports, caller, element.id))
      skipped.push({ element, reason: whyNot(ports, element.id, 'replace it by an import') })
    else if (element.isPrivate && !ports.catalog.find(element.id)?.private && !mayReplace(ports, caller, element.id))
      skipped.push({ element, reason: whyNot(ports, element.id, 'make it private by an import') })
    else {
      ports.deletions.finish(element.id)
      chosen.push(element)
    }
    seen.add(key)
  }
  let note: string | undefined
  const outside = chosen.map(({ id }) => {
    const versions = force ? unbundledVersions(ports.catalog, id, bundled) : []
    if (versions.length === 0 || bundled.unreadable === undefined) return versions
    note = `Old versions are kept, because the id of "${bundled.unreadable}" cannot be read.`
    return []
  })
  const orders = chosen.map((element, i): NewJob => {
    const request = { staged: element.name, origin, removes: outside[i] ?? [] }
    return { library: element.id, kind: 'import', request, caller: turnOf(caller) }
  })
  const queued: string[] = []
  const removed: string[] = []
  let noted = 0
  for (const [i, reason] of enqueue(ports, orders, caller, first).entries()) {
    const element = chosen[i] as StagedElement
    if (reason !== undefined) skipped.push({ element, reason })
    else {
      ports.imports.handOver(element.name)
      queued.push(printLibraryId(element.id))
      if (element.hasNotes) noted += 1
      removed.push(...(outside[i] ?? []).map(({ version }) => printLibraryId({ ...element.id, version })))
    }
  }
  return { queued, skipped, removed, noted, note }
}

/** Queues jobs in one transaction. Returns the reason for each that was not queued. Throws if the `first` batch of an import fails. */
function enqueue(
  { jobs, audit, atomically }: QueueElementsPorts,
  orders: NewJob[],
  caller: Caller,
  first: boolean,
): (undefined | string)[] {
  try {
    return atomically(() => {
      const outcomes = jobs.enqueueAll(orders)
      const queued = orders.filter((_, i) => 'id' in (outcomes[i] ?? {})).map(({ library }) => printLibraryId(library))
      audit.recordAll({ actor: actorOf(caller), action: 'library.import' }, queued)
      return outcomes.map((each) => ('inTheWay' in each ? busy(each.inTheWay) : undefined))
    })
  } catch (error) {
    if (first || !(error instanceof AppError)) throw error
    return orders.map(() => error.message)
  }
}

/** The same for a library that is here and one that is not. */
const notYours = 'The rules of this install or the list of your key give it to others; ask an admin.'

const exists = ({ catalog }: QueueElementsPorts, { id }: StagedElement): boolean =>
  catalog.versions(id).some(({ version }) => version === (id.version ?? ''))

const busy = ({ kind, id }: Job): string =>
  kind === 'import'
    ? 'already queued'
    : `Its library has an unfinished job (${kind}); wait for it or cancel job ${id}, then import again.`

/** `removed` is absent if there are none. */
export type ImportAnswer = Pick<QueueAnswer, 'queued' | 'skipped'> & { message: string; removed?: string[] }

/** `origin` is a sentence about the signature of the bundle, if there is something to report. */
export const importAnswer = (
  { queued, skipped, removed, noted, note, unknown }: QueueAnswer & { unknown: UnknownFields },
  origin?: string,
): ImportAnswer => ({
  message: [
    `Queued ${pluralize(queued.length, 'library', 'libraries')} for import.`,
    ...(skipped.length > 0 ? [`${pluralize(skipped.length, 'other')} skipped.`] : []),
    ...(noted > 0 ? [notedIn(noted)] : []),
    ...(unknown.names.length > 0 ? [unknownIn(unknown)] : []),
    ...[origin, note].filter((each) => each !== undefined),
  ].join(' '),
  queued,
  skipped,
  ...(removed.length > 0 && { removed }),
})

const notedIn = (libraries: number): string =>
  `Something of ${pluralize(libraries, 'library', 'libraries')} was left out or changed; the report of its job says what.`

const unknownIn = ({ names, more }: UnknownFields): string =>
  `Unknown fields next to "libraries" were ignored: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
