import { isAbsolute } from 'node:path'
import type { AiRuntime } from '../../shared/ai/ai-runtime.ts'
import { embeddingChoice } from '../../shared/ai/embedding-choice.ts'
import { invalidField } from '../../shared/errors.ts'
import { requireMatch } from '../../shared/http/etag.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { actorOf, type Caller, turnOf } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { UserStore } from '../accounts/user-store.ts'
import { signsIn } from '../accounts/ways-to-sign-in.ts'
import { requireBackupFolder } from '../backup/backup-folder.ts'
import type { KeptFeedback } from '../usage/kept-feedback.ts'
import { enqueueReindex, type ReindexPorts } from './enqueue-reindex.ts'

export type ChangeSettingsPorts = ReindexPorts & {
  settings: SettingsStore
  audit: Pick<AuditLog, 'recordAll'>
  atomically: Atomically
  users: Pick<UserStore, 'find'>
  feedback: Pick<KeptFeedback, 'tidy'>
  aiRuntime: Pick<AiRuntime, 'local'>
  dataDir: string
}

/**
 * Stores all changes or none. A model on this server that waited for an admin begins with the libraries. Returns the names of the secrets that were dropped. Throws
 * validation_error, precondition_failed.
 */
export function changeSettings(
  ports: ChangeSettingsPorts,
  caller: Caller,
  changes: Record<string, unknown>,
  ifMatch?: string,
): string[] {
  const { settings, audit, atomically, dataDir, aiRuntime } = ports
  const embedding = () => embeddingChoice(settings, aiRuntime.local).state
  rejectUnusableFolder(dataDir, changes)
  const actor = actorOf(caller)
  return atomically(() => {
    requireMatch(ifMatch, { '': settings.describe() })
    const waited = embedding() === 'waiting'
    const { dropped } = settings.change(changes)
    rejectOwnLockout(ports, caller)
    if (waited && embedding() === 'active') enqueueReindex(ports, turnOf(caller))
    // It may have waited for these changes.
    if (ports.jobs.hasten()) ports.worker.wake()
    if (Object.keys(changes).some((name) => name.startsWith('feedback.'))) ports.feedback.tidy()
    audit.recordAll({ actor, action: 'setting.change' }, Object.keys(changes))
    audit.recordAll({ actor, action: 'setting.drop' }, dropped)
    return dropped
  })
}

/** Throws validation_error if callers could not sign in again as they have: a password, or an issuer that nobody has tried. */
function rejectOwnLockout({ users, settings }: Pick<ChangeSettingsPorts, 'users' | 'settings'>, { holder }: Caller): void {
  if (holder?.via !== 'session') return
  const issuer = users.find(holder.userId ?? '')?.issuer ?? null
  if (signsIn({ settings }, issuer)) return
  if (issuer === null)
    throw invalidField('sso.localAccounts', 'can be turned off by an admin who has signed in at an issuer, to show that one can')
  throw invalidField('sso.issuers', `must have ${issuer}, at which you have signed in. Sign in in another way to remove it`)
}

/** Throws validation_error. The store rejects a value that is no absolute path. */
export function rejectUnusableFolder(dataDir: string, { 'backup.folder': folder }: Record<string, unknown>): void {
  if (typeof folder === 'string' && isAbsolute(folder)) requireBackupFolder(dataDir, folder)
}
