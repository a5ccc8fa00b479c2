import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** Adds the content of a file to a hash. Returns its bytes, 0 if it is missing. */
export async function hashInto(hash: Hash, path: string): Promise<number> {
  let bytes = 0
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(chunk)
      bytes += chunk.length
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return bytes
}

/** Returns the SHA-256 of a file in hex, undefined if it is missing. Reads a file again only after it has changed. */
export function fileHashes(): (path: string) => Promise<string | undefined> {
  const known = new Map<string, { state: string; sha256: string }>()
  return async (path) => {
    const stats = await stat(path).catch(() => undefined)
    if (!stats?.isFile()) return undefined
    const state = `${stats.size} ${stats.mtimeMs} ${stats.ino}`
    const last = known.get(path)
    if (last?.state === state) return last.sha256
    const hash = createHash('sha256')
    await hashInto(hash, path)
    const sha256 = hash.digest('hex')
    known.set(path, { state, sha256 })
    return sha256
  }
}
