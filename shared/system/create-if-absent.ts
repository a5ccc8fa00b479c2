import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fchmodSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs'

/**
 * Creates a file atomically unless it exists; then nothing is written. If several processes try at the same time, one wins and the others keep its file.
 */
export function createIfAbsent(path: string, content: string | Buffer, mode: number): void {
  if (existsSync(path)) return
  const draft = `${path}.${randomUUID()}`
  try {
    const file = openSync(draft, 'wx', mode)
    try {
      // Overrides the umask: others may read a public key.
      fchmodSync(file, mode)
      writeSync(file, Buffer.from(content))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    linkSync(draft, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
