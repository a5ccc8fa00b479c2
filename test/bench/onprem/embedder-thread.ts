import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export type EmbedderStats = { requests: number; texts: number; firstMs: number; lastMs: number; maxInFlight: number }

/** Starts `instant-embedder.ts` in a thread. `settings` select it as the provider. */
export async function startEmbedder(dimensions: number, delayMs = 0) {
  const worker = new Worker(new URL('./instant-embedder.ts', import.meta.url), { workerData: { dimensions, delayMs } })
  const [port] = await once(worker, 'message')
  const url = `http://127.0.0.1:${port}`
  return {
    settings: {
      'embedding.provider': 'custom',
      'embedding.baseUrl': url,
      'embedding.model': 'bench',
      'embedding.dimensions': dimensions,
    },
    stats: async () => (await (await fetch(`${url}/stats`)).json()) as EmbedderStats,
    close: () => worker.terminate(),
  }
}
