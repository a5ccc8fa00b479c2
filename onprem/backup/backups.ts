import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { type BackupPorts, type OpenBackup, openBackup, removeBackupWork } from './open-backup.ts'

/** The backups of an install. */
export type Backups = {
  /** Begins a backup. The caller reads or destroys its bytes. Throws job_active while another one runs. */
  open(withKeys: boolean, signal: AbortSignal): Promise<OpenBackup>
  isRunning(): boolean
}

/** Opens the backups. Only the process that holds the lock of the data directory may call this. */
export function openBackups(ports: BackupPorts & { log: Log }): Backups {
  let isRunning = false
  removeBackupWork(ports.dataDir)
  return {
    isRunning: () => isRunning,
    async open(withKeys, signal) {
      if (isRunning) throw backupRunning()
      isRunning = true
      try {
        const backup = await openBackup(ports, withKeys, signal)
        const { bytes } = backup
        bytes.once('close', () => {
          isRunning = false
        })
        // A backup that nobody reads would end the process when its time is up, unless there is a listener.
        bytes.on('error', (error) => {
          if (bytes.listenerCount('error') === 1 && !signal.aborted) ports.log.error({ error }, 'a backup failed')
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
