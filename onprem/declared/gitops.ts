import { AppError } from '../../shared/errors.ts'
import { nextBackup } from '../../shared/settings/backup-schedule.ts'
import { asMachineError } from '../../shared/system/machine-error.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { GitopsRun, GitopsRuns, RunCounts } from '../store/declared/gitops-runs.ts'
import { type ApplyPorts, applyManifest } from './apply-manifest.ts'
import { type FetchManifestPorts, type FollowedFile, fetchManifest } from './fetch-manifest.ts'
import { readManifest } from './read-manifest.ts'

export type ReconcileResult = RunCounts & { commit: string; message: string }

/** The followed repository. */
export type Gitops = {
  isRunning(): boolean
  /** When the repository is checked next; undefined if never. */
  next(): Date | undefined
  /**
   * Applies the file if the commit is new, or with `force` in any case; joins a run that has begun. Throws not_configured, and why the file cannot
   * be fetched or applied.
   */
  reconcile(force: boolean): Promise<ReconcileResult>
  /** Reconciles at the first call and when the schedule says so. Failures are logged and stored. */
  runIfDue(): Promise<void>
  /** Reconciles soon, after a run that has begun, because that may have read an older commit. Failures are logged and stored. */
  runSoon(): void
  /** Waits for the end of a run. */
  close(): Promise<void>
}

export type GitopsPorts = ApplyPorts &
  FetchManifestPorts & {
    gitopsRuns: GitopsRuns
    /** Aborts when the server stops. */
    stopping: AbortSignal
  }

/** The followed repository as a caller. */
const repositoryCaller = {
  holder: { id: 'gitops', role: 'admin', name: 'followed repository', userId: null, username: null, via: 'command' },
  sentKey: false,
} as const satisfies Caller

/** Skipped libraries and failed checks are tried again after this time, or earlier if the schedule says so. */
const retryMs = 5 * 60_000

export function gitops(ports: GitopsPorts): Gitops {
  const { settings, gitopsRuns, log, now, stopping } = ports
  let running: Promise<ReconcileResult> | undefined
  let following: Promise<void> | undefined
  let isFirst = true

  const reconcile = (force: boolean) => {
    running ??= run(ports, force, stopping).finally(() => {
      running = undefined
    })
    return running
  }
  const next = (): Date | undefined => {
    const file = followedFile(settings)
    const schedule = settings.get('gitops.schedule')
    if (!file || schedule === 'manual') return undefined
    const last = gitopsRuns.last()
    if (last?.source !== sourceOf(file)) return now()
    const checkedAt = new Date(last.checkedAt)
    const retry = last.failed || !last.isComplete ? new Date(checkedAt.getTime() + retryMs) : undefined
    const planned = nextBackup(schedule, checkedAt)
    return retry && (!planned || retry < planned) ? retry : planned
  }
  const logFailure = (error: unknown) => {
    if (!stopping.aborted) log.error({ error }, 'the followed repository cannot be applied')
  }
  return {
    isRunning: () => running !== undefined,
    next,
    reconcile,
    async runIfDue() {
      try {
        const due = next()
        const isDue = due !== undefined && (isFirst || due <= now())
        isFirst = false
        if (isDue && !running && !stopping.aborted) await reconcile(false)
      } catch (error) {
        logFailure(error)
      }
    },
    runSoon() {
      const follow = async () => {
        await running?.catch(() => undefined)
        following = undefined
        if (!stopping.aborted) await reconcile(false)
      }
      following ??= follow().catch(logFailure)
    },
    async close() {
      await following
      await running?.catch(() => undefined)
    },
  }
}

export function followedFile(settings: Pick<GitopsPorts['settings'], 'get'>): FollowedFile | undefined {
  const repository = settings.get('gitops.repository')
  return repository === undefined
    ? undefined
    : { repository, branch: settings.get('gitops.branch'), path: settings.get('gitops.path') }
}

const sourceOf = ({ repository, branch, path }: FollowedFile): string =>
  JSON.stringify([repository, branch ?? null, path ?? null])

async function run(ports: GitopsPorts, force: boolean, signal: AbortSignal): Promise<ReconcileResult> {
  const { settings, gitopsRuns, log, now } = ports
  const file = followedFile(settings)
  if (!file) throw new AppError('not_configured', 'No repository is followed. Set gitops.repository first.')
  const source = sourceOf(file)
  const last = gitopsRuns.last()
  const before = last?.source === source ? last : undefined
  try {
    const seen = before?.isComplete && !force ? (before.commit ?? undefined) : undefined
    const fetched = await fetchManifest(ports, file, seen, signal)
    if (!fetched.file && before) {
      gitopsRuns.store({ ...before, checkedAt: now().toISOString(), failed: null })
      const skipped = ports.declared.libraries().filter(({ by, named }) => by === 'git' && named).length
      const message = 'The commit was applied before.'
      return { created: 0, updated: 0, unchanged: 0, pruned: 0, skipped, commit: fetched.commit, message }
    }
    const { text = '', url = '' } = fetched.file ?? {}
    const read = await readManifest(text)
    signal.throwIfAborted()
    const { counts } = await applyManifest(ports, repositoryCaller, read, {
      by: 'git',
      prune: settings.get('gitops.prune'),
      record({ counts, libraries, settings: { changes } }) {
        const at = now().toISOString()
        const skipped = libraries
          .filter(({ change }) => change === 'skipped')
          .map(({ id, details }) => ({ library: `/${id.owner}/${id.repo}`, reason: details.join(' ') }))
        const isComplete = skipped.length === 0
        gitopsRuns.store({
          source,
          commit: fetched.commit,
          fileUrl: url,
          appliedAt: at,
          isComplete,
          counts,
          skipped,
          checkedAt: at,
          failed: null,
        })
        if (counts.created + counts.updated + counts.pruned + Object.keys(changes).length === 0) return
        ports.audit.record({ actor: actorOf(repositoryCaller), action: 'gitops.apply', subject: url })
      },
    })
    log.info({ commit: fetched.commit, ...counts }, 'the followed repository was applied')
    const skips = counts.skipped > 0 ? ` ${counts.skipped} libraries were skipped and are tried again.` : ''
    return { ...counts, commit: fetched.commit, message: `The file at ${fetched.commit.slice(0, 12)} is applied.${skips}` }
  } catch (thrown) {
    const error = asMachineError(thrown, '')
    if (!signal.aborted) gitopsRuns.store(failedRun(source, before, error, now()))
    throw error
  }
}

function failedRun(source: string, before: GitopsRun | undefined, error: unknown, now: Date): GitopsRun {
  const at = now.toISOString()
  const message = error instanceof AppError ? error.message : 'An internal error. The log has the reason.'
  const none = { source, commit: null, fileUrl: null, appliedAt: null, isComplete: false, counts: null, skipped: [] }
  return { ...none, ...before, checkedAt: at, failed: { at: before?.failed?.at ?? at, message } }
}
