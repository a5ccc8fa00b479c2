import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a file atomically unless it exists; then nothing is written. If several processes try at the same time, one wins and the others keep its file.
 * A file of root gets the owner of its folder, so that a command of root leaves no file that the server of another user cannot read.
 */
export function createIfAbsent(path: string, content: string | Buffer, mode: number): void {
  if (existsSync(path)) return
  const draft = `${path}.${randomUUID()}`
  try {
    const file = openSync(draft, 'wx', mode)
    try {
      // Overrides the umask: others may read a public key.
      fchmodSync(file, mode)
      keepOwner(file, dirname(path))
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

function keepOwner(file: number, folder: string): void {
  const { uid, gid } = statSync(folder)
  if (process.getuid?.() === 0 && uid !== 0) fchownSync(file, uid, gid)
}
