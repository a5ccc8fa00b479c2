import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { AuditLog } from '../accounts/audit-log.ts'

export type ChangeSettingsPorts = { settings: SettingsStore; audit: Pick<AuditLog, 'record'> }

/** Stores all changes or none. Whoever sets `permissions.hidePrivate` has chosen who can read private libraries. Returns the names of the secrets that were dropped. Throws validation_error. */
export function changeSettings(
  { settings, audit }: ChangeSettingsPorts,
  caller: Caller,
  changes: Record<string, unknown>,
): string[] {
  const all = changes['permissions.hidePrivate'] == null ? changes : { 'permissions.privateChosen': true, ...changes }
  const { dropped } = settings.change(all)
  const actor = actorOf(caller)
  for (const subject of Object.keys(all)) audit.record({ actor, action: 'setting.change', subject })
  for (const subject of dropped) audit.record({ actor, action: 'setting.drop', subject })
  return dropped
}
