import { setTimeout as sleep } from 'node:timers/promises'
import type { HostedJob } from '../jobs/hosted-jobs.ts'
import { type WorkerPorts, workLibrary } from './work-library.ts'

/** Runs the jobs of the queue in this process, one at a time. */
export type LocalWorker = {
  /** Starts; jobs that were interrupted in an earlier run of the process start over. */
  start(): void
  /** Checks the queue now. */
  wake(): void
  /** Queues the running job again and ends. */
  stop(): Promise<void>
}

const maxWaitMs = 60_000
const troubleMs = 5_000
/** Higher than on AWS: a kill of this process is an interruption, too, and no other worker can run the job. */
const maxInterruptions = 20

/** A worker for a table that no other process uses. */
export function localWorker(workerPorts: Omit<WorkerPorts, 'queue'>): LocalWorker {
  const { jobs, log, now } = workerPorts
  const stopping = new AbortController()
  const { signal } = stopping
  let woken = Promise.withResolvers<void>()
  const wake = () => woken.resolve()
  const ports: WorkerPorts = { maxInterruptions, ...workerPorts, queue: { send: async () => wake() } }

  const recover = async () => {
    const interrupted = await jobs.recover()
    if (interrupted > 0) log.warn({ jobs: interrupted }, 'interrupted jobs start over')
  }
  /** Runs the next due job. Returns the time until the next one is due. */
  const step = async (): Promise<number> => {
    const [next] = (await jobs.active()).sort((a, b) => dueMs(a) - dueMs(b) || (a.createdAt < b.createdAt ? -1 : 1))
    const waitMs = next ? Math.min(maxWaitMs, dueMs(next) - now().getTime()) : maxWaitMs
    if (!next || waitMs > 0) return waitMs
    await workLibrary(ports, next.key, signal)
    return 0
  }
  const loop = async () => {
    let isStarted = false
    while (!signal.aborted) {
      woken = Promise.withResolvers()
      try {
        if (!isStarted) await recover()
        isStarted = true
        const waitMs = await step()
        if (waitMs > 0) await Promise.race([woken.promise, pause(waitMs)])
      } catch (error) {
        log.error({ error }, 'the job queue cannot be processed')
        await pause(troubleMs)
      }
    }
  }
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)

  let running: Promise<void> | undefined
  return {
    start() {
      running ??= loop()
    },
    wake,
    async stop() {
      stopping.abort()
      wake()
      await running
    },
  }
}

/** A running job that this worker does not run is one whose outcome could not be stored. It is due when its lease expires. */
const dueMs = ({ state, dueAt, leaseUntil = '' }: HostedJob): number => Date.parse(state === 'queued' ? dueAt : leaseUntil)
