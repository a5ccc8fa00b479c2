import { sweeper } from '../../shared/indexing/sweeper.ts'
import type { Log } from '../../shared/log.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { withTimeout } from '../../shared/time/with-timeout.ts'
import type { Salts } from '../../shared/usage/salts.ts'
import { catalogSnapshot, repairSnapshot } from '../catalog/catalog-snapshot.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { pageCopiesKey } from '../objects/stored-page-copies.ts'
import type { OptOutChecks } from '../takedown/opt-outs.ts'
import type { ReadWishPorts } from '../takedown/read-wish.ts'
import { checkOptOuts } from './check-opt-outs.ts'
import { type HostedJob, type HostedJobs, type JobQueue, maxLeaseMs } from './hosted-jobs.ts'
import { rebuildOutdated } from './rebuild-outdated.ts'

export type SchedulePorts = ReadWishPorts & {
  salts: Salts
  catalog: HostedCatalog
  jobs: HostedJobs
  queue: JobQueue
  snippets: Pick<SnippetStore, 'drop' | 'format'>
  optOuts: OptOutChecks
  /** Stores the snapshot of the catalog and the copies of pages. */
  objects: ObjectStore
  log: Log
  now(): Date
  /** Time that replaced content is kept. */
  retiredMs: number
  /** Number of jobs that may run at the same time. */
  workers: number
  /** Receives the time that the oldest job without a worker has waited for one, in ms; 0 if there is none. */
  onWait?(ms: number): void
}

type Task = { budgetMs: number; run(signal: AbortSignal): Promise<unknown> }

/** Together shorter than the time limit of the function, so that a task that hangs does not prevent the others. */
export const budgetsMs = { snapshot: 120_000, jobs: 30_000, salts: 10_000, rebuild: 40_000, sweep: 40_000, optOuts: 20_000 }

/**
 * Returns a function that runs the periodic tasks, the snapshot first, each for a limited time. If one task fails, the others still run;
 * then the function throws.
 */
export function schedule(ports: SchedulePorts): () => Promise<void> {
  const { salts, catalog, objects, snippets, log } = ports
  // The sweep deletes only reserved and retired generations, so the store need not list its own.
  const drop = async (generation: string) => {
    await objects.remove(pageCopiesKey(generation))
    await snippets.drop(generation)
  }
  const stored = { generations: async () => [], drop }
  const names = catalogSnapshot({ ...ports, refreshMs: 0 })
  const tasks: Record<string, Task> = {
    'repair and publish the snapshot of the catalog': {
      budgetMs: budgetsMs.snapshot,
      run: (signal) => repairSnapshot(ports, { signal }),
    },
    'restart jobs without a worker': { budgetMs: budgetsMs.jobs, run: () => sweepJobs(ports) },
    'create the salt of tomorrow': { budgetMs: budgetsMs.salts, run: () => salts.makeAhead() },
    'delete old salts': { budgetMs: budgetsMs.salts, run: () => salts.forgetOld() },
    'rebuild content in an old format': { budgetMs: budgetsMs.rebuild, run: rebuildOutdated(ports) },
    'check what owners allow': { budgetMs: budgetsMs.optOuts, run: checkOptOuts({ ...ports, names }) },
    'delete content that is no longer served': {
      budgetMs: budgetsMs.sweep,
      run: sweeper({ catalog, snippets: stored, log, now: ports.now }, ports.retiredMs),
    },
  }
  return async () => {
    let failed = 0
    for (const [task, { budgetMs, run }] of Object.entries(tasks)) {
      await withTimeout(`The task "${task}"`, budgetMs, run).catch((error: unknown) => {
        failed += 1
        log.error({ task, error }, 'a scheduled task failed')
      })
    }
    if (failed > 0) throw new Error(`${failed} scheduled tasks failed`)
  }
}

type SweepJobsPorts = Pick<SchedulePorts, 'queue' | 'now' | 'onWait'> & { jobs: Pick<HostedJobs, 'active' | 'resend'> }

/** The longest time that a worker needs to start. */
const maxStartMs = 300_000

/** Requests workers again for jobs that have waited too long or whose lease has expired. Returns the number of requests. */
export async function sweepJobs({ jobs, queue, now, onWait }: SweepJobsPorts): Promise<number> {
  const active = await jobs.active()
  const nowMs = now().getTime()
  onWait?.(Math.max(0, ...active.map((job) => nowMs - waitingSinceMs(job))))
  const waiting = active.filter((job) => dueAgainMs(job, nowMs) <= nowMs)
  let sent = 0
  for (const job of waiting) {
    if (!(await jobs.resend(job))) continue
    await queue.send(job.key, 0, job.requestId)
    sent += 1
  }
  return sent
}

/** A job waits from when it is due, or from when its worker has died, however often its messages are sent again. */
const waitingSinceMs = ({ state, dueAt, leaseUntil = '' }: HostedJob): number =>
  Date.parse(state === 'queued' ? dueAt : leaseUntil)

/** An expired lease requests a worker immediately, and again if none starts. */
function dueAgainMs({ state, dueAt, sentAt, leaseUntil = '' }: HostedJob, nowMs: number): number {
  // The clock of the process that wrote a time far ahead is off. The job must not wait for it.
  const msOf = (time: string) => (Date.parse(time) > nowMs + maxLeaseMs ? 0 : Date.parse(time))
  const sent = msOf(sentAt)
  if (state === 'queued') return Math.max(sent, msOf(dueAt)) + maxStartMs
  const expired = msOf(leaseUntil)
  return sent < expired ? expired + 1 : sent + maxStartMs
}
