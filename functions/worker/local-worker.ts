import { setTimeout as sleep } from 'node:timers/promises'
import type { HostedJob } from '../jobs/hosted-job.ts'
import { type WorkerPorts, workLibrary } from './work-library.ts'

/** Works the queue off in this process, one job at a time. */
export type LocalWorker = {
  /** Begins; what another run of this process left unfinished starts over. */
  start(): void
  /** Looks at the queue now. */
  wake(): void
  /** Puts the running job back into the queue and ends. */
  stop(): Promise<void>
}

const maxWaitMs = 60_000
const troubleMs = 5_000
/** Kills of this process count, too, and nobody else is there to read the library. */
const maxInterruptions = 20

/** For a table that no other process works on. */
export function localWorker(given: Omit<WorkerPorts, 'queue'>): LocalWorker {
  const { jobs, log, now } = given
  const stopping = new AbortController()
  const { signal } = stopping
  let woken = Promise.withResolvers<void>()
  const wake = () => woken.resolve()
  const ports: WorkerPorts = { maxInterruptions, ...given, queue: { send: async () => wake() } }

  const recover = async () => {
    const interrupted = await jobs.recover()
    if (interrupted > 0) log.warn({ jobs: interrupted }, 'jobs were interrupted and start over')
  }
  /** Answers how long there is nothing to do. */
  const step = async (): Promise<number> => {
    const [next] = (await jobs.active()).sort((a, b) => dueMs(a) - dueMs(b) || (a.createdAt < b.createdAt ? -1 : 1))
    const waitMs = next ? Math.min(maxWaitMs, dueMs(next) - now().getTime()) : maxWaitMs
    if (!next || waitMs > 0) return waitMs
    await workLibrary(ports, next.key, signal)
    return 0
  }
  const loop = async () => {
    let begun = false
    while (!signal.aborted) {
      woken = Promise.withResolvers()
      try {
        if (!begun) await recover()
        begun = true
        const waitMs = await step()
        if (waitMs > 0) await Promise.race([woken.promise, pause(waitMs)])
      } catch (error) {
        log.error({ error }, 'the job queue cannot be worked off')
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

/** What runs here and is not being worked on is a job whose end could not be written down: it is due when its lease has lapsed. */
const dueMs = ({ state, dueAt, leaseUntil = '' }: HostedJob): number => Date.parse(state === 'queued' ? dueAt : leaseUntil)
