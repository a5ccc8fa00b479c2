import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A file that goes into an archive. `name` is its path in the data directory, with slashes. */
export type ArchivedFile = { name: string; path: string; sizeBytes: number }

/** Key material: only with `--with-keys`. The salts are never part of a backup. */
export const keyFiles = [
  'secrets.key',
  'sessions.key',
  'dev-license.pem',
  'dev-license.pub.pem',
  'dev-bundle.pem',
  'dev-bundle.pub.pem',
] as const
export const databaseFiles = ['carrel.db', 'vectors.db'] as const

const folderPath = /^(?:vendor|imports|snippets)(?:\/[\w-][\w.-]{0,199}){1,6}$/

/** True if a file of this name may be in an archive. */
export const isArchivedName = (name: string, withKeys: boolean): boolean =>
  databaseFiles.some((each) => each === name) || (withKeys && keyFiles.some((each) => each === name)) || folderPath.test(name)

/** The file, or all files below the folder, at `name`. None if it is missing. Names that no archive may have are omitted. */
export async function filesAt(dataDir: string, name: string): Promise<ArchivedFile[]> {
  const path = join(dataDir, name)
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (stats?.isFile()) return isArchivedName(name, true) ? [{ name, path, sizeBytes: stats.size }] : []
  if (!stats?.isDirectory()) return []
  const files: ArchivedFile[] = []
  for (const child of (await readdir(path)).sort()) files.push(...(await filesAt(dataDir, `${name}/${child}`)))
  return files
}
