import { randomUUID } from 'node:crypto'
import { closeSync, fchmodSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs'

/**
 * Writes a file whole or not at all, and never over one that is there: where several processes try at once, one wins
 * and the others leave its file alone.
 */
export function createIfAbsent(path: string, content: string | Buffer, mode: number): void {
  const draft = `${path}.${randomUUID()}`
  try {
    const file = openSync(draft, 'wx', mode)
    try {
      // Whatever the process masks: a public key is for others to read.
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
