import { randomUUID } from 'node:crypto'
import { closeSync, openSync, realpathSync, rmSync, statSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { AppError, invalidField } from '../../shared/errors.ts'
import { makeFolder, privateFolder, reason } from '../../shared/store/open-data-dir.ts'
import { partialSuffix } from './write-backup-file.ts'

export type StoredBackup = { name: string; createdAt: string; sizeBytes: number }

/** The folder of stored backups: the given one, which must exist, or `backups` in the data directory. Throws not_configured, cannot_start. */
export function backupFolder(dataDir: string, path: string | undefined): string {
  const folder = path ?? privateFolder(join(dataDir, 'backups'))
  try {
    const problem = problemOf(dataDir, folder)
    if (problem === undefined) return realpathSync(folder)
    throw unusable(folder, problem)
  } catch (error) {
    throw error instanceof AppError && error.code === 'not_configured' ? error : unusable(folder, cannotBeUsed(error), error)
  }
}

/** Creates a folder that is to become backup.folder, if it is missing, and tries to write to it. Throws validation_error. */
export function requireBackupFolder(dataDir: string, path: string): void {
  try {
    makeFolder(path)
    const problem = problemOf(dataDir, path)
    const probe = join(path, `.carrel-${randomUUID()}`)
    if (problem !== undefined) throw invalidField('backup.folder', problem)
    closeSync(openSync(probe, 'wx', 0o600))
    rmSync(probe)
  } catch (error) {
    throw error instanceof AppError ? error : invalidField('backup.folder', cannotBeUsed(error))
  }
}

/** The reason why backups cannot be in a folder, as the end of a sentence. */
function problemOf(dataDir: string, folder: string): string | undefined {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return 'is not a folder. Create it, or mount its disk'
  const [root, real] = [realpathSync(dataDir), realpathSync(folder)]
  return isInside(real, root) && !isInside(real, join(root, 'backups')) ? 'is in DATA_DIR. Choose one outside' : undefined
}

const cannotBeUsed = (error: unknown): string => `cannot be used: ${reason(error)}`

/** Newest first. */
export async function storedBackups(folder: string): Promise<StoredBackup[]> {
  const backups: StoredBackup[] = []
  for (const name of await namesIn(folder)) {
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

/** Deletes the remains of a killed process. */
export async function deletePartialBackups(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (name.endsWith(partialSuffix) && createdAtOf(name.slice(0, -partialSuffix.length)))
      await rm(join(folder, name), { force: true })
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return !way.startsWith('..') && !isAbsolute(way)
}

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => Promise.reject(unusable(folder, cannotBeUsed(error), error)))

const unusable = (folder: string, why: string, cause?: unknown) =>
  new AppError('not_configured', `The folder of backup.folder, ${folder}, ${why}.`, { cause })

/** The name of an archive: when it was made, in UTC. */
export const backupName = (createdAt: Date): string => `carrel-backup-${createdAt.toISOString().replaceAll(/[:.]/g, '-')}.tar.zst`

/** The time at which an archive of this name was made; undefined if it has another name. */
export function createdAtOf(name: string): Date | undefined {
  const match = /^carrel-backup-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.tar\.zst$/.exec(name)
  if (!match) return undefined
  const [, day, hours, minutes, seconds, ms] = match
  const at = new Date(`${day}T${hours}:${minutes}:${seconds}.${ms}Z`)
  return Number.isNaN(at.getTime()) ? undefined : at
}
