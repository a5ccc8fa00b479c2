import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The bytes of a file, or of all files in a folder. Files that disappear meanwhile are ignored. Throws when `signal` aborts. */
export async function folderSize(path: string, signal?: AbortSignal): Promise<number> {
  signal?.throwIfAborted()
  const stats = await stat(path).catch(() => undefined)
  if (!stats?.isDirectory()) return stats?.size ?? 0
  let bytes = 0
  for (const name of await readdir(path).catch(() => [])) bytes += await folderSize(join(path, name), signal)
  return bytes
}
