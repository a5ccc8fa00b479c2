import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../shared/log.ts'
import { childEnv } from '../../shared/system/child-env.ts'
import type { DynaliteThread } from './dynalite-thread.ts'

export type Dynalite = {
  readonly url: string
  /** Why its thread last ended by itself. */
  failure(): unknown
  close(): Promise<void>
}

type Keeping = Pick<DynaliteThread, 'path' | 'accessKeyId'> & { log: Pick<Log, 'error' | 'info'> | undefined }

const minPauseMs = 50
const maxPauseMs = 5000
const calmMs = 60_000
const maxCloseMs = 10_000

/**
 * Runs dynalite in a thread until `close`. Where that ends by itself, as on a full disk, it is started again on the same port, so that who
 * asks meanwhile fails and then goes on. Throws what kept the first one from opening its folder.
 */
export async function superviseDynalite({ path, accessKeyId, log }: Keeping): Promise<Dynalite> {
  let thread = startThread({ path, accessKeyId, port: 0 })
  const port = await thread.listening
  const stopping = new AbortController()
  const { signal } = stopping
  let failure: unknown

  async function keep(): Promise<void> {
    for (let failures = 0; ; failures++) {
      failure = (await thread.ended) ?? failure
      if (signal.aborted) return
      // One that could not open what was said to fail tells nothing new.
      if (thread.opened()) log?.error({ error: failure }, 'the tables failed and are opened again')
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

  const kept = keep()
  return {
    url: `http://127.0.0.1:${port}`,
    failure: () => failure,
    async close() {
      stopping.abort()
      thread.end()
      await kept
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
