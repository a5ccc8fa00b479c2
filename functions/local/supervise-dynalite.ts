import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../shared/log.ts'
import { childEnv } from '../../shared/system/child-env.ts'
import type { DynaliteThread } from './dynalite-thread.ts'

export type Dynalite = {
  readonly url: string
  /** The error that last ended its thread. */
  failure(): unknown
  close(): Promise<void>
}

type SuperviseOptions = Pick<DynaliteThread, 'path' | 'accessKeyId'> & { log: Pick<Log, 'error' | 'info'> | undefined }

const minPauseMs = 50
const maxPauseMs = 5000
const calmMs = 60_000
const maxCloseMs = 10_000

/**
 * Runs dynalite in a thread until `close`. If the thread fails, as on a full disk, it is restarted on the same port, so that clients fail
 * in between and recover. Throws the error if the first thread cannot open its folder.
 */
export async function superviseDynalite({ path, accessKeyId, log }: SuperviseOptions): Promise<Dynalite> {
  let thread = startThread({ path, accessKeyId, port: 0 })
  const port = await thread.listening
  const stopping = new AbortController()
  const { signal } = stopping
  let failure: unknown

  async function supervise(): Promise<void> {
    for (let failures = 0; ; failures++) {
      failure = (await thread.ended) ?? failure
      if (signal.aborted) return
      // A restarted thread that could not open the folder has nothing new to report.
      if (thread.opened()) log?.error({ error: failure }, 'the tables failed and are reopened')
      if (thread.ageMs() > calmMs) failures = 0
      const pauseMs = Math.min(maxPauseMs, minPauseMs * 2 ** failures)
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      thread = startThread({ path, accessKeyId, port })
      thread.listening.then(
        () => log?.info({}, 'the tables are open again'),
        () => undefined,
      )
    }
  }

  const supervised = supervise()
  return {
    url: `http://127.0.0.1:${port}`,
    failure: () => failure,
    async close() {
      stopping.abort()
      thread.end()
      await supervised
    },
  }
}

function startThread(data: DynaliteThread) {
  const worker = new Worker(new URL('./dynalite-thread.ts', import.meta.url), { workerData: data, env: childEnv() })
  const startedAtMs = performance.now()
  let error: unknown
  let isOpen = false
  worker.on('error', (thrown) => {
    error = thrown
  })
  const ended = new Promise<unknown>((resolve) => worker.once('exit', () => resolve(error)))
  const listening = new Promise<number>((resolve, reject) => {
    worker.once('message', (port: number) => {
      isOpen = true
      resolve(port)
    })
    void ended.then((thrown) => reject(thrown ?? new Error('The thread of the tables ended.')))
  })
  return {
    ended,
    listening,
    opened: () => isOpen,
    ageMs: () => performance.now() - startedAtMs,
    end() {
      worker.postMessage('end')
      const late = setTimeout(() => void worker.terminate(), maxCloseMs)
      void ended.then(() => clearTimeout(late))
    },
  }
}
