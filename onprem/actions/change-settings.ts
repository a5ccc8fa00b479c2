import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { AuditLog } from '../accounts/audit-log.ts'

export type ChangeSettingsPorts = { settings: SettingsStore; audit: Pick<AuditLog, 'record'> }

/** Stores all changes or none. Returns the names of the secrets that were dropped. Throws validation_error. */
export function changeSettings(
  { settings, audit }: ChangeSettingsPorts,
  caller: Caller,
  changes: Record<string, unknown>,
): string[] {
  const { dropped } = settings.change(changes)
  const actor = actorOf(caller)
  for (const subject of Object.keys(changes)) audit.record({ actor, action: 'setting.change', subject })
  for (const subject of dropped) audit.record({ actor, action: 'setting.drop', subject })
  return dropped
}
