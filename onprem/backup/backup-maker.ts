import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { Actor, AuditLog } from '../accounts/audit-log.ts'
import type { Damage } from '../store/data-dir/damage.ts'
import { backupName, deleteOldBackups } from './backup-folder.ts'
import type { BackupHeader } from './backup-header.ts'
import { type Backups, backupRunning } from './backups.ts'
import { writeBackupFile } from './write-backup-file.ts'

export type BackupMakerPorts = {
  backups: Backups
  settings: Pick<SettingsStore, 'get'>
  audit: Pick<AuditLog, 'record'>
  damage: Pick<Damage, 'note' | 'messages'>
  /** Called with one sentence about each failure. */
  noteFailure(message: string): void
  log: Log
  now(): Date
}

export type RunningBackup = { name: string; startedAt: string; cancel: AbortController; ended: Promise<void> }
export type BackupFailure = { at: string; message: string }

/** Makes backups in the background, one at a time. */
export type BackupMaker = {
  /** Begins a backup in the folder and returns its name. Throws job_active while another one runs, and what `folder` throws. */
  start(folder: () => string, actor: Actor): string
  running(): RunningBackup | undefined
  /** True if no backup can begin now. */
  isBusy(): boolean
  /** The newest failure, until a backup succeeds. */
  failed(): BackupFailure | null
  /** Logs a failure, also of what precedes a backup. */
  fail(error: unknown): void
  /** Cancels the running backup and waits for its end. */
  close(): Promise<void>
}

export function backupMaker({ backups, settings, audit, damage, noteFailure, log, now }: BackupMakerPorts): BackupMaker {
  const state: { running: RunningBackup | undefined; failed: BackupFailure | null; isClosed: boolean } = {
    running: undefined,
    failed: null,
    isClosed: false,
  }
  const isBusy = () => state.running !== undefined || state.isClosed || backups.isRunning()
  const fail = (error: unknown) => {
    damage.note(error)
    const message = error instanceof AppError ? error.message : 'The log of the server has the details.'
    state.failed = { at: now().toISOString(), message }
    noteFailure(`A backup failed: ${message}`)
    log.error({ error }, 'a backup failed')
  }
  const write = async (folder: string, name: string, signal: AbortSignal) => {
    try {
      const { header, bytes } = await backups.open(false, signal)
      await writeBackupFile(join(folder, name), bytes, signal)
      state.failed = null
      const { size } = await stat(join(folder, name))
      log.info({ name, sizeBytes: size, libraries: header.libraries.length }, 'a backup was made')
      await deleteOld(folder, header)
    } catch (error) {
      if (signal.aborted) log.info({ name }, 'a backup was cancelled')
      else fail(error)
    }
  }
  /** Keeps all while this install may need one from before it was damaged. */
  const deleteOld = async (folder: string, { libraries }: BackupHeader) => {
    const lost = libraries.filter(({ complete }) => !complete).map(({ library }) => library)
    if (lost.length > 0 || damage.messages().length > 0) {
      log.warn({ libraries: lost }, 'old backups are kept, because content or the database is damaged')
      return
    }
    const deleted = await deleteOldBackups(folder, settings.get('backup.keep'), now())
    if (deleted.length > 0) log.info({ names: deleted }, 'old backups were deleted')
  }
  return {
    start(folderNow, actor) {
      if (isBusy()) throw backupRunning()
      const folder = folderNow()
      const startedAt = now()
      const name = backupName(startedAt)
      // Files are in no transaction, so an action that cannot be recorded is not begun.
      audit.record({ actor, action: 'backup.create', subject: name })
      const cancel = new AbortController()
      const ended = write(folder, name, cancel.signal).finally(() => {
        state.running = undefined
      })
      state.running = { name, startedAt: startedAt.toISOString(), cancel, ended }
      return name
    },
    running: () => state.running,
    isBusy,
    failed: () => state.failed,
    fail,
    async close() {
      state.isClosed = true
      state.running?.cancel.abort()
      await state.running?.ended
    },
  }
}
