import { isAbsolute } from 'node:path'
import { requireMatch } from '../../shared/http/etag.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import { requireBackupFolder } from '../backup/backup-folder.ts'

export type ChangeSettingsPorts = {
  settings: SettingsStore
  audit: Pick<AuditLog, 'recordAll'>
  atomically: Atomically
  dataDir: string
}

/** Stores all changes or none. Returns the names of the secrets that were dropped. Throws validation_error, precondition_failed. */
export function changeSettings(
  { settings, audit, atomically, dataDir }: ChangeSettingsPorts,
  caller: Caller,
  changes: Record<string, unknown>,
  ifMatch?: string,
): string[] {
  rejectUnusableFolder(dataDir, changes)
  const actor = actorOf(caller)
  return atomically(() => {
    requireMatch(ifMatch, { '': settings.describe() })
    const { dropped } = settings.change(changes)
    audit.recordAll({ actor, action: 'setting.change' }, Object.keys(changes))
    audit.recordAll({ actor, action: 'setting.drop' }, dropped)
    return dropped
  })
}

/** Throws validation_error. The store rejects a value that is no absolute path. */
export function rejectUnusableFolder(dataDir: string, { 'backup.folder': folder }: Record<string, unknown>): void {
  if (typeof folder === 'string' && isAbsolute(folder)) requireBackupFolder(dataDir, folder)
}
