import { isAbsolute } from 'node:path'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import { requireBackupFolder } from '../backup/backup-folder.ts'

export type ChangeSettingsPorts = { settings: SettingsStore; audit: Pick<AuditLog, 'record'>; dataDir: string }

/** Stores all changes or none. Returns the names of the secrets that were dropped. Throws validation_error. */
export function changeSettings(
  { settings, audit, dataDir }: ChangeSettingsPorts,
  caller: Caller,
  changes: Record<string, unknown>,
): string[] {
  rejectUnusableFolder(dataDir, changes)
  const { dropped } = settings.change(changes)
  const actor = actorOf(caller)
  for (const subject of Object.keys(changes)) audit.record({ actor, action: 'setting.change', subject })
  for (const subject of dropped) audit.record({ actor, action: 'setting.drop', subject })
  return dropped
}

/** Throws validation_error. The store rejects a value that is no absolute path. */
export function rejectUnusableFolder(dataDir: string, { 'backup.folder': folder }: Record<string, unknown>): void {
  if (typeof folder === 'string' && isAbsolute(folder)) requireBackupFolder(dataDir, folder)
}
