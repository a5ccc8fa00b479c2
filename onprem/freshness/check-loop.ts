import { hostPauses } from '../../shared/freshness/host-pauses.ts'
import type { Limits } from '../../shared/indexing/limits.ts'
import type { Log } from '../../shared/log.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import type { CheckOutcome, LibraryChecks } from '../store/library-checks.ts'
import { planChecks } from './check-due.ts'
import { type CheckLibraryPorts, checkLibrary } from './check-library.ts'
import { scheduleCaller } from './queue-refresh.ts'

export type CheckLoopPorts = Omit<CheckLibraryPorts, 'hosts' | 'limits'> & {
  limits: Pick<Limits, 'probeMs' | 'clone' | 'refreshCheckMs'>
  checks: LibraryChecks
  jobs: Pick<JobStore, 'unfinishedOf'>
  worker: { wake(): void }
  /** Counts a check. */
  checked(outcome: CheckOutcome): void
  noteDamage(error: unknown): void
  log: Log
}

/** Compares libraries with their repositories when their schedules ask for it. What is due is in the database, so that no restart loses a check. */
export type CheckLoop = {
  start(): void
  /** Looks for due libraries now. */
  wake(): void
  /** Stops, and waits for the checks that are running; they stay due. */
  stop(): Promise<void>
}

export function checkLoop(loopPorts: CheckLoopPorts): CheckLoop {
  const ports = { ...loopPorts, hosts: hostPauses(loopPorts.now) }
  const { checks, jobs, log, now, settings, worker } = ports
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let isFailing = false

  const isOff = () => timer === undefined || stopping.signal.aborted
  const attempt = async (work: () => unknown) => {
    try {
      await work()
      isFailing = false
    } catch (error) {
      if (stopping.signal.aborted) return
      ports.noteDamage(error)
      if (!isFailing) log.error({ error }, 'a library cannot be compared with its repository')
      isFailing = true
    }
  }
  /** Jobs of the schedule take the place of checks, so that they do not fill the queue. */
  const isFull = () => running.size + jobs.unfinishedOf(scheduleCaller) >= settings.get('refresh.parallel')
  const startChecks = () => {
    while (!isOff() && !isFull()) {
      const key = checks.next(now(), [...running.keys()])
      if (key === undefined) return
      running.set(key, runCheck(key))
    }
  }
  const runCheck = async (key: string) => {
    let isDone = false
    await attempt(async () => {
      const outcome = await checkLibrary(ports, key, stopping.signal)
      isDone = true
      if (outcome !== undefined) ports.checked(outcome)
      if (outcome === 'queued') worker.wake()
    })
    running.delete(key)
    // After an unexpected failure the library stays due until the next round.
    if (isDone) queueMicrotask(() => void attempt(startChecks))
  }
  const round = () =>
    attempt(() => {
      planChecks(ports)
      startChecks()
    })

  return {
    start() {
      timer = setInterval(() => void round(), ports.limits.refreshCheckMs)
      void round()
    },
    wake: () => queueMicrotask(() => void attempt(startChecks)),
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await Promise.all(running.values())
    },
  }
}
