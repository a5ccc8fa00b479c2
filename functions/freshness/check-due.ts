import pLimit from 'p-limit'
import { AppError } from '../../shared/errors.ts'
import { failedCheck } from '../../shared/freshness/failed-check.ts'
import type { HostPauses } from '../../shared/freshness/host-pauses.ts'
import { nextDue, type RefreshSchedule, scheduleText } from '../../shared/freshness/refresh-schedule.ts'
import { hasSameCommits } from '../../shared/indexing/has-same-commits.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { openRemote } from '../../shared/reading/git/probe-git.ts'
import { parseRepoUrl, type RepoAddress } from '../../shared/reading/git/repo-address.ts'
import { hasContent, type LibraryRecord } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { HostedJobs, JobQueue } from '../jobs/hosted-jobs.ts'
import { refreshLibrary } from '../jobs/refresh-library.ts'
import type { CheckOutcome, DueCheck, LibraryCheck, LibraryChecks } from './library-checks.ts'

export type CheckDuePorts = {
  catalog: Pick<HostedCatalog, 'record' | 'whole'>
  checks: Pick<LibraryChecks, 'due' | 'take' | 'record' | 'forget'>
  jobs: Pick<HostedJobs, 'active' | 'enqueue'>
  queue: JobQueue
  gitHosts(): GitHosts
  gitAccess: Omit<GitAccess, 'token'>
  /** Time limit of the request to a git host. */
  probeMs: number
  hosts: HostPauses
  /** The schedule of libraries without their own. */
  defaultSchedule(): RefreshSchedule
  /** A round queues no refresh while there are this many jobs. */
  maxJobs: number
  log: Log
  now(): Date
}

/** The numbers of outcomes of a round. */
export type CheckedRound = Record<CheckOutcome, number>

const maxChecks = 500
const checksAtOnce = 8
/** A check that a process did not finish is due again after this time. A running job uses the settings of its library as long. */
const takenMs = 15 * 60_000
/** A cron may ask for a check every minute. */
const minPauseMs = 55 * 60_000

/** The first time of a library's schedule, at least about an hour after a check. Undefined if it has none. */
export const dueAfter = (schedule: RefreshSchedule, key: string, at: Date): Date | undefined =>
  nextDue(schedule, key, new Date(at.getTime() + minPauseMs))

/** An uploaded document changes only when it is uploaded again. */
export const scheduleOf = (
  { settings }: Pick<LibraryRecord, 'settings'>,
  { defaultSchedule }: Pick<CheckDuePorts, 'defaultSchedule'>,
): RefreshSchedule => (settings.source?.kind === 'openapi-upload' ? 'off' : (settings.schedule ?? defaultSchedule()))

/**
 * Compares the libraries whose checks are due with their repositories, and queues a refresh of each that has changed. Several rounds may run at
 * the same time: one of them takes a check. Throws if checks failed unexpectedly; they stay due.
 */
export async function checkDue(ports: CheckDuePorts, signal?: AbortSignal): Promise<CheckedRound> {
  const { checks, jobs, log, maxJobs, now } = ports
  const counts: CheckedRound = { unchanged: 0, queued: 0, refused: 0, failed: 0, paused: 0, absent: 0 }
  const due = await checks.due(now(), maxChecks)
  if (due.length === 0) return counts
  let unexpected = 0
  const room = { jobs: maxJobs - (await jobs.active()).length }
  await pLimit(checksAtOnce).map(due, async (each) => {
    if (signal?.aborted || room.jobs <= 0) return
    try {
      const outcome = await checkOne(ports, each, room)
      if (outcome) counts[outcome] += 1
    } catch (error) {
      unexpected += 1
      log.error({ project: each.key, error }, 'a library cannot be compared with its repository')
    }
  })
  log.info({ due: due.length, ...counts }, 'libraries were compared with their repositories')
  if (unexpected > 0) throw new Error(`${unexpected} checks failed unexpectedly`)
  return counts
}

/** Undefined if there was nothing to check, or no room for a job. */
async function checkOne(ports: CheckDuePorts, due: DueCheck, room: { jobs: number }): Promise<CheckOutcome | undefined> {
  const { catalog, checks, now } = ports
  const record = await catalog.whole(parseLibraryId(due.key))
  if (!record) {
    await checks.forget(due)
    return undefined
  }
  const taken = await checks.take(due, new Date(now().getTime() + takenMs))
  if (!taken) return undefined
  const schedule = scheduleOf(record, ports)
  const planned = () => ({ schedule: scheduleText(schedule), dueAt: dueAfter(schedule, due.key, now()) })
  const { checkedAt, failures, outcome, error } = taken
  if (schedule === 'off' || !hasContent(record)) {
    await checks.record(taken, { checkedAt, failures, outcome, error, ...planned() })
    return undefined
  }
  const checked = await compare(ports, record, taken)
  if (checked.outcome === 'queued') {
    room.jobs -= 1
    // Without a job the check stays due. One that is active reads the library with its old settings.
    if (room.jobs < 0 || !(await queueRefresh(ports, record))) return undefined
  }
  const responded = checked.outcome === 'unchanged' || checked.outcome === 'queued'
  await checks.record(taken, {
    ...planned(),
    ...(responded ? { checkedAt: now().toISOString(), failures: 0 } : { checkedAt, failures: failures + 1 }),
    ...checked,
  })
  return checked.outcome
}

type Checked = { outcome: CheckOutcome; error?: string; dueAt?: Date }

async function compare(ports: CheckDuePorts, record: LibraryRecord, { failures }: LibraryCheck): Promise<Checked> {
  const { library, settings } = record
  // Only a worker has tokens, and only a job can tell whether a source that is no repository has changed.
  if (library.private || settings.source) return { outcome: 'queued' }
  const address = addressOf(ports, library.sourceUrl)
  if (!address) return { outcome: 'absent', error: `No git host of this service has ${library.sourceUrl}.` }
  const { host } = new URL(address.baseUrl)
  const paused = ports.hosts.until(host)
  if (paused) return { outcome: 'paused', error: `The host ${host} does not respond.`, dueAt: paused }
  try {
    const access = { ...ports.gitAccess, timeMs: ports.probeMs, signal: new AbortController().signal }
    const remote = await openRemote(address, access)
    ports.hosts.responded(host)
    const isSame = !remote.moved && (settings.outdated ?? []).length === 0 && hasSameCommits(remote, settings, record)
    return { outcome: isSame ? 'unchanged' : 'queued' }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return failedCheck(ports, { host, failures, isPublic: true }, error)
  }
}

function addressOf({ gitHosts }: CheckDuePorts, sourceUrl: string): RepoAddress | undefined {
  try {
    return parseRepoUrl(sourceUrl, gitHosts())
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** False if the library has an unfinished job. */
async function queueRefresh(ports: CheckDuePorts, { id }: LibraryRecord): Promise<boolean> {
  try {
    await refreshLibrary(ports, parseLibraryId(id))
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'job_active') return false
    throw error
  }
}
