import { existsSync, realpathSync, statSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { privateFolder } from '../../shared/store/open-data-dir.ts'
import { createdAtOf } from './backup-name.ts'
import { partialSuffix } from './write-backup-file.ts'

export type StoredBackup = { name: string; createdAt: string; sizeBytes: number }

/** The folder of stored backups: the given one, which must exist, or `backups` in the data directory. Throws internal_error. */
export function backupFolder(dataDir: string, given: string | undefined): string {
  const own = join(realpathSync(dataDir), 'backups')
  if (given === undefined) return privateFolder(own)
  if (!existsSync(given) || !statSync(given).isDirectory()) throw unusable(given, 'is not a folder. Create it, or mount its disk')
  const real = realpathSync(given)
  if (isInside(real, realpathSync(dataDir)) && !isInside(real, own)) throw unusable(given, 'is in DATA_DIR. Choose one outside')
  return real
}

/** Newest first. */
export async function storedBackups(folder: string): Promise<StoredBackup[]> {
  const backups: StoredBackup[] = []
  for (const name of await readdir(folder)) {
    const createdAt = createdAtOf(name)
    const stats = createdAt && (await stat(join(folder, name)).catch(() => undefined))
    if (createdAt && stats?.isFile()) backups.push({ name, createdAt: createdAt.toISOString(), sizeBytes: stats.size })
  }
  return backups.sort((a, b) => (a.name < b.name ? 1 : -1))
}

/** The stored backups that were made up to now, newest first. A later date comes from a clock that was wrong, or from another machine. */
export const backupsUntil = async (folder: string, now: Date): Promise<StoredBackup[]> =>
  (await storedBackups(folder)).filter(({ createdAt }) => Date.parse(createdAt) <= now.getTime())

/** Deletes the oldest backups, so that `keep` of those until now are left; 0 keeps all. Returns their names. */
export async function deleteOldBackups(folder: string, keep: number, now: Date): Promise<string[]> {
  const old = keep === 0 ? [] : (await backupsUntil(folder, now)).slice(keep)
  for (const { name } of old) await rm(join(folder, name), { force: true })
  return old.map(({ name }) => name)
}

/** Deletes what a killed process left. */
export async function deletePartialBackups(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith(partialSuffix) && createdAtOf(name.slice(0, -partialSuffix.length)))
      await rm(join(folder, name), { force: true })
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return !way.startsWith('..') && !isAbsolute(way)
}

const unusable = (folder: string, why: string) =>
  new AppError('internal_error', `The folder of backup.folder, ${folder}, ${why}.`, { shown: true })
