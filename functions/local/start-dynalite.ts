import type { Log } from '../../shared/log.ts'
import { startThread } from '../../shared/system/start-thread.ts'
import type { DynaliteThread } from './dynalite-thread.ts'

export type Dynalite = {
  readonly url: string
  /** The error that has ended its thread. */
  failure(): unknown
  close(): Promise<void>
}

type StartOptions = DynaliteThread & { log: Pick<Log, 'error'> | undefined }

const maxCloseMs = 10_000

/** Runs dynalite in a thread until `close`, or until it fails, as on a full disk. Throws the error if it cannot open its folder. */
export async function startDynalite({ log, ...data }: StartOptions): Promise<Dynalite> {
  const worker = startThread(new URL('./dynalite-thread.ts', import.meta.url), { data })
  let failure: unknown
  let isOpen = false
  worker.on('error', (error) => {
    failure = error
    if (isOpen) log?.error({ error }, 'the tables failed; restart the server')
  })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const port = await Promise.race([
    new Promise<number>((resolve) => worker.once('message', resolve)),
    ended.then(() => Promise.reject(failure ?? new Error('The thread of the tables ended.'))),
  ])
  isOpen = true
  return {
    url: `http://127.0.0.1:${port}`,
    failure: () => failure,
    async close() {
      worker.postMessage('end')
      const late = setTimeout(() => void worker.terminate(), maxCloseMs)
      await ended
      clearTimeout(late)
    },
  }
}
