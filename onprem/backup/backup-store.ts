import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { nextBackup } from '../../shared/settings/backup-schedule.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import { type Actor, serverActor } from '../accounts/audit-log.ts'
import {
  backupFolder,
  backupsUntil,
  createdAtOf,
  deletePartialBackups,
  type StoredBackup,
  storedBackups,
} from './backup-folder.ts'
import { type BackupFailure, type BackupMakerPorts, backupMaker } from './backup-maker.ts'
import { readBackupHeader } from './read-backup.ts'

export type BackupList = {
  folder: string
  /** Newest first. */
  backups: StoredBackup[]
  running: { name: string; startedAt: string } | null
  /** The newest failure, until a backup succeeds. */
  failed: BackupFailure | null
  /** The time of the next scheduled backup. */
  next: string | null
}

/** The backups in the folder of the settings. They hold no keys. */
export type BackupStore = {
  list(): Promise<BackupList>
  /** Begins a backup and returns its name. Throws job_active while another one runs. */
  start(actor: Actor): Promise<string>
  /** The path of a backup. Throws not_found. */
  find(name: string): Promise<{ path: string; sizeBytes: number; withKeys: boolean }>
  /** Deletes a backup, or cancels the running one. Throws not_found. */
  remove(name: string, actor: Actor): Promise<void>
  /** Begins a backup if the schedule asks for one since the newest. A failed one is tried again after an hour. */
  runIfDue(): Promise<void>
  failed(): BackupList['failed']
  /** `overdueMs`: since when the schedule has wanted a backup after the newest; 0 if it wants none yet. */
  state(): Promise<{ newestAt: Date | undefined; overdueMs: number }>
  /** Cancels the running backup and waits for its end. */
  close(): Promise<void>
}

type BackupStorePorts = BackupMakerPorts & { dataDir: string }

const retryMs = 60 * 60_000

export function backupStore(ports: BackupStorePorts): BackupStore {
  const { audit, dataDir, settings, now } = ports
  const maker = backupMaker(ports)
  const cleaned = new Set<string>()
  const folderNow = () => backupFolder(dataDir, settings.get('backup.folder'))
  const pathOf = (name: string) => {
    const path = createdAtOf(name) && join(folderNow(), name)
    if (path === undefined || !existsSync(path)) throw new AppError('not_found', `There is no backup ${excerpt(name)}.`)
    return path
  }
  /** False for a failure in the future, when the clock was wrong. */
  const hasJustFailed = () => {
    const failed = maker.failed()
    return failed !== null && Math.abs(now().getTime() - Date.parse(failed.at)) < retryMs
  }
  const startIfDue = async () => {
    const schedule = settings.get('backup.schedule')
    if (schedule === undefined || maker.isBusy()) return
    const folder = folderNow()
    if (!cleaned.has(folder)) await deletePartialBackups(folder)
    cleaned.add(folder)
    const [newest] = await backupsUntil(folder, now())
    const due = newest === undefined ? now() : nextBackup(schedule, new Date(newest.createdAt))
    if (due !== undefined && due <= now() && !hasJustFailed()) maker.start(folderNow, serverActor('schedule'))
  }
  return {
    async list() {
      const folder = folderNow()
      const stored = await storedBackups(folder)
      const schedule = settings.get('backup.schedule')
      const running = maker.running()
      return {
        folder,
        backups: stored,
        running: running ? { name: running.name, startedAt: running.startedAt } : null,
        failed: maker.failed(),
        next: (schedule && nextBackup(schedule, now())?.toISOString()) ?? null,
      }
    },
    start: async (actor) => maker.start(folderNow, actor),
    async find(name) {
      const path = pathOf(name)
      const [{ size }, { withKeys }] = await Promise.all([stat(path), readBackupHeader(path)])
      return { path, sizeBytes: size, withKeys }
    },
    async remove(name, actor) {
      const running = maker.running()
      const cancelled = running?.name === name ? running : undefined
      const path = cancelled ? undefined : pathOf(name)
      audit.record({ actor, action: 'backup.delete', subject: name })
      cancelled?.cancel.abort()
      await cancelled?.ended
      if (path !== undefined) await rm(path)
    },
    async runIfDue() {
      try {
        await startIfDue()
      } catch (error) {
        // Another caller has started one in the meantime.
        if (error instanceof AppError && error.code === 'job_active') return
        if (!hasJustFailed()) maker.fail(error)
      }
    },
    failed: maker.failed,
    async state() {
      const folder = settings.get('backup.folder') ?? join(dataDir, 'backups')
      // There is no folder until the first backup, or while its disk is not mounted.
      const [newest] = await backupsUntil(folder, now()).catch(() => [])
      const newestAt = newest && new Date(newest.createdAt)
      const schedule = settings.get('backup.schedule')
      const due = schedule && newestAt && nextBackup(schedule, newestAt)
      return { newestAt, overdueMs: due ? Math.max(0, now().getTime() - due.getTime()) : 0 }
    },
    close: maker.close,
  }
}
