import { parentPort } from 'node:worker_threads'
import type { Batch } from './worker-pool.ts'

/** Serves the requests of a `workerPool` in this thread. `buffersOf` returns the buffers of a reply that are transferred. */
export function serveBatches<Request, Reply>(
  handle: (request: Request) => Reply | Promise<Reply>,
  buffersOf: (reply: Reply) => ArrayBuffer[],
): void {
  parentPort?.on('message', async ({ requests, current }: Batch<Request>) => {
    const replies: Reply[] = []
    for (const [i, request] of requests.entries()) {
      Atomics.store(current, 0, i)
      replies.push(await handle(request))
    }
    parentPort?.postMessage(replies, replies.flatMap(buffersOf))
  })
}
