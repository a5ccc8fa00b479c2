import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const memoryFolder = '/dev/shm'
const minBytes = 8 * 2 ** 30

let folder: string | undefined

/** Tests write to memory if it has room and they may run programs there: on a disk, they wait for it a quarter of their time. */
export function setup(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(memoryFolder) || !isRoomy()) return
  folder = mkdtempSync(join(memoryFolder, 'carrel-tests-'))
  // Tests run programs as other users, who must reach their files, as in /tmp.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function isRoomy(): boolean {
  const { bavail, bsize } = statfsSync(memoryFolder)
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`tmpfs ${memoryFolder} `))
  return mount !== undefined && !/\bnoexec\b/.test(mount) && Math.min(bavail * bsize, freemem()) >= minBytes
}
