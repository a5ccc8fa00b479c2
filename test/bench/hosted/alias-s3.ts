import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

export type Counted = { requests: number; rounds: number; bytes: number }

export type AliasS3 = {
  url: string
  /** Counts what is read during `work`. A round is a request that was sent after the end of another. */
  count<T>(work: () => Promise<T>): Promise<Counted & { result: T }>
  close(): Promise<void>
}

/** The time of S3 until the first byte. */
const firstByteMs = 15

/**
 * S3 in front of an emulator, slow like the real one, in which each library exists any number of times: `docs1-n7` is the library `docs1` under
 * another name.
 */
export async function aliasS3(target: string): Promise<AliasS3> {
  const { hostname, port } = new URL(target)
  let seen: { begin: number; end: number; bytes: number }[] = []
  const server = createServer(async (request, response) => {
    const entry = { begin: performance.now(), end: Number.POSITIVE_INFINITY, bytes: 0 }
    seen.push(entry)
    const url = request.url ?? '/'
    const [, name = '', alias = ''] = /(docs\d+)(-n\d+)/.exec(url) ?? []
    response.on('close', () => {
      entry.end = performance.now()
    })
    await new Promise((waited) => setTimeout(waited, firstByteMs))
    const onward = ask({ hostname, port, method: request.method, path: url.replaceAll(alias, ''), headers: request.headers })
    onward.on('error', () => response.destroy())
    onward.on('response', async (answer) => {
      const hasNames = url.includes('list-type') || url.includes('files.json')
      if (!hasNames) {
        entry.bytes = Number(answer.headers['content-length'] ?? 0)
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        return pipeline(answer, response).catch(() => response.destroy())
      }
      const body = (await buffer(answer)).toString().replaceAll(new RegExp(`${name}(?=\\.)`, 'g'), name + alias)
      entry.bytes = body.length
      response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] }).end(body)
    })
    await pipeline(request, onward).catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async count(work) {
      seen = []
      const result = await work()
      return { result, requests: seen.length, rounds: roundsOf(seen), bytes: seen.reduce((sum, { bytes }) => sum + bytes, 0) }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** The length of the longest chain of requests of which each began after the one before had ended. */
function roundsOf(requests: { begin: number; end: number }[]): number {
  const chains = new Map<(typeof requests)[number], number>()
  for (const request of requests.toSorted((a, b) => a.begin - b.begin)) {
    const before = [...chains].filter(([{ end }]) => end <= request.begin).map(([, length]) => length)
    chains.set(request, Math.max(0, ...before) + 1)
  }
  return Math.max(0, ...chains.values())
}
