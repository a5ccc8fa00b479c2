import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { randomFrom } from '../random.ts'

/**
 * An OpenAI-compatible provider of embeddings in its own thread, which responds immediately or after a delay. Its vectors are random and
 * encoded in advance.
 */
const { dimensions, delayMs } = workerData as { dimensions: number; delayMs: number }

const random = randomFrom(3)
const vectors = Array.from({ length: 4000 }, () => {
  const values = Float32Array.from({ length: dimensions }, () => random() - 0.5)
  return Buffer.from(values.buffer).toString('base64')
})
const stats = { requests: 0, texts: 0, firstMs: 0, lastMs: 0, underWay: 0, maxInFlight: 0 }

const server = createServer(async (request, response) => {
  if (request.url === '/stats') return void response.end(JSON.stringify(stats))
  const began = performance.now()
  if (stats.requests++ === 0) stats.firstMs = began
  stats.maxInFlight = Math.max(stats.maxInFlight, ++stats.underWay)
  const body = (await buffer(request)).toString()
  const { input, encoding_format: format } = JSON.parse(body) as { input: string | string[]; encoding_format?: string }
  const count = Array.isArray(input) ? input.length : 1
  const from = stats.texts
  stats.texts += count
  const data = Array.from({ length: count }, (_, index) => {
    const vector = vectors[(from + index) % vectors.length] ?? ''
    const embedding = format === 'base64' ? vector : [...new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer)]
    return { object: 'embedding', index, embedding }
  })
  const answer = JSON.stringify({ object: 'list', model: 'bench', data, usage: { prompt_tokens: count, total_tokens: count } })
  if (delayMs > 0) await sleep(Math.max(0, delayMs - (performance.now() - began)))
  stats.underWay -= 1
  stats.lastMs = performance.now()
  response.setHeader('content-type', 'application/json').end(answer)
})
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
