import { AppError } from '../../shared/errors.ts'
import { type BackupPorts, type OpenBackup, openBackup, removeBackupWork } from './open-backup.ts'

/** The backups of an install. */
export type Backups = {
  /** Begins a backup. The caller reads or destroys its bytes. Throws job_active while another one runs. */
  open(withKeys: boolean, signal: AbortSignal): Promise<OpenBackup>
  isRunning(): boolean
}

/** Only the process that holds the lock of the data directory may call this. */
export function openBackups(ports: BackupPorts): Backups {
  let isRunning = false
  removeBackupWork(ports.dataDir)
  return {
    isRunning: () => isRunning,
    async open(withKeys, signal) {
      if (isRunning) throw backupRunning()
      isRunning = true
      try {
        const backup = await openBackup(ports, withKeys, signal)
        backup.bytes.once('close', () => {
          isRunning = false
        })
        return backup
      } catch (error) {
        isRunning = false
        throw error
      }
    },
  }
}

export const backupRunning = () => new AppError('job_active', 'Another backup is running. Wait until it has ended, or cancel it.')
