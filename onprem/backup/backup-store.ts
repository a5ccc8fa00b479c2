import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { nextBackup } from '../../shared/settings/backup-schedule.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import type { Damage } from '../store/data-dir/damage.ts'
import {
  backupFolder,
  backupName,
  backupsUntil,
  createdAtOf,
  deleteOldBackups,
  deletePartialBackups,
  type StoredBackup,
  storedBackups,
} from './backup-folder.ts'
import type { BackupHeader } from './backup-header.ts'
import { type Backups, backupRunning } from './backups.ts'
import { readBackupHeader } from './read-backup.ts'
import { writeBackupFile } from './write-backup-file.ts'

export type BackupList = {
  folder: string
  /** Newest first. */
  backups: StoredBackup[]
  running: { name: string; startedAt: string } | null
  /** The newest failure, until a backup succeeds. */
  failed: { at: string; message: string } | null
  /** The time of the next scheduled backup. */
  next: string | null
}

/** The backups in the folder of the settings. They hold no keys. */
export type BackupStore = {
  list(): Promise<BackupList>
  /** Begins a backup and returns its name. Throws job_active while another one runs. */
  start(actor: string): Promise<string>
  /** The path of a backup. Throws not_found. */
  find(name: string): Promise<{ path: string; sizeBytes: number; withKeys: boolean }>
  /** Deletes a backup, or cancels the running one. Throws not_found. */
  remove(name: string, actor: string): Promise<void>
  /** Begins a backup if the schedule asks for one since the newest. A failed one is tried again after an hour. */
  runIfDue(): Promise<void>
  failed(): BackupList['failed']
  /** `overdueMs`: since when the schedule has wanted a backup after the newest; 0 if it wants none yet. */
  state(): Promise<{ newestAt: Date | undefined; overdueMs: number }>
  /** Cancels the running backup and waits for its end. */
  close(): Promise<void>
}

type BackupStorePorts = {
  dataDir: string
  backups: Backups
  settings: Pick<SettingsStore, 'get'>
  audit: Pick<AuditLog, 'record'>
  damage: Pick<Damage, 'note' | 'found'>
  log: Log
  now(): Date
}

const retryMs = 60 * 60_000

export function backupStore({ dataDir, backups, settings, audit, damage, log, now }: BackupStorePorts): BackupStore {
  let running: { name: string; startedAt: string; cancel: AbortController; ended: Promise<void> } | undefined
  let failed: BackupList['failed'] = null
  let closed = false
  const cleaned = new Set<string>()
  const folderNow = () => backupFolder(dataDir, settings.get('backup.folder'))
  const fail = (error: unknown) => {
    damage.note(error)
    failed = {
      at: now().toISOString(),
      message: error instanceof AppError ? error.message : 'The log of the server has the details.',
    }
    log.error({ error }, 'a backup failed')
  }
  /** False for a failure in the future, when the clock was wrong. */
  const hasJustFailed = () => failed !== null && Math.abs(now().getTime() - Date.parse(failed.at)) < retryMs
  const pathOf = (name: string) => {
    const path = createdAtOf(name) && join(folderNow(), name)
    if (path === undefined || !existsSync(path)) throw new AppError('not_found', `There is no backup ${name.slice(0, 100)}.`)
    return path
  }

  async function write(folder: string, name: string, signal: AbortSignal): Promise<void> {
    try {
      const { header, bytes } = await backups.open(false, signal)
      await writeBackupFile(join(folder, name), bytes, signal)
      failed = null
      const { sizeBytes } = await stat(join(folder, name)).then(({ size }) => ({ sizeBytes: size }))
      log.info({ name, sizeBytes, libraries: header.libraries.length }, 'a backup was made')
      await deleteOld(folder, header)
    } catch (error) {
      if (signal.aborted) log.info({ name }, 'a backup was cancelled')
      else fail(error)
    }
  }

  /** Keeps all while this install may need one from before it was damaged. */
  async function deleteOld(folder: string, { libraries }: BackupHeader): Promise<void> {
    const lost = libraries.filter(({ complete }) => !complete).map(({ library }) => library)
    if (lost.length > 0 || damage.found().length > 0) {
      log.warn({ libraries: lost }, 'old backups are kept, because content or the database is damaged')
      return
    }
    const deleted = await deleteOldBackups(folder, settings.get('backup.keep'), now())
    if (deleted.length > 0) log.info({ names: deleted }, 'old backups were deleted')
  }

  async function start(actor: string): Promise<string> {
    if (running || closed || backups.isRunning()) throw backupRunning()
    const folder = folderNow()
    const startedAt = now()
    const name = backupName(startedAt)
    // Files are in no transaction, so an action that cannot be recorded is not begun.
    audit.record({ actor, action: 'backup.create', subject: name })
    const cancel = new AbortController()
    const ended = write(folder, name, cancel.signal).finally(() => {
      running = undefined
    })
    running = { name, startedAt: startedAt.toISOString(), cancel, ended }
    return name
  }

  return {
    async list() {
      const folder = folderNow()
      const stored = await storedBackups(folder)
      const schedule = settings.get('backup.schedule')
      return {
        folder,
        backups: stored,
        running: running ? { name: running.name, startedAt: running.startedAt } : null,
        failed,
        next: (schedule && nextBackup(schedule, now())?.toISOString()) ?? null,
      }
    },
    start,
    async find(name) {
      const path = pathOf(name)
      const [{ size }, { withKeys }] = await Promise.all([stat(path), readBackupHeader(path)])
      return { path, sizeBytes: size, withKeys }
    },
    async remove(name, actor) {
      const cancelled = running?.name === name ? running : undefined
      const path = cancelled ? undefined : pathOf(name)
      audit.record({ actor, action: 'backup.delete', subject: name })
      cancelled?.cancel.abort()
      await cancelled?.ended
      if (path !== undefined) await rm(path)
    },
    async runIfDue() {
      try {
        const schedule = settings.get('backup.schedule')
        if (schedule === undefined || running || closed || backups.isRunning()) return
        const folder = folderNow()
        if (!cleaned.has(folder)) await deletePartialBackups(folder)
        cleaned.add(folder)
        const [newest] = await backupsUntil(folder, now())
        const due = newest === undefined ? now() : nextBackup(schedule, new Date(newest.createdAt))
        if (due !== undefined && due <= now() && !hasJustFailed()) await start('schedule')
      } catch (error) {
        // Another caller has started one in the meantime.
        if (error instanceof AppError && error.code === 'job_active') return
        if (!hasJustFailed()) fail(error)
      }
    },
    failed: () => failed,
    async state() {
      const folder = settings.get('backup.folder') ?? join(dataDir, 'backups')
      // There is no folder until the first backup, or while its disk is not mounted.
      const [newest] = await backupsUntil(folder, now()).catch(() => [])
      const newestAt = newest && new Date(newest.createdAt)
      const schedule = settings.get('backup.schedule')
      const due = schedule && newestAt && nextBackup(schedule, newestAt)
      return { newestAt, overdueMs: due ? Math.max(0, now().getTime() - due.getTime()) : 0 }
    },
    async close() {
      closed = true
      running?.cancel.abort()
      await running?.ended
    },
  }
}
