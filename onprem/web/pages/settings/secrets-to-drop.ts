import { secretAddress } from '../../../../shared/settings/secret-address.ts'
import type { SecretName, SettingName, Settings } from '../../../../shared/settings/settings.ts'
import type { ShownSettings } from '../../api/queries.ts'

const secrets: readonly SecretName[] = [
  'github.token',
  'gitlab.token',
  'llm.apiKey',
  'embedding.apiKey',
  'notifications.smtpUser',
  'notifications.smtpPassword',
]

/** The stored secrets that these changes would delete, because they belong to another address then. */
export function secretsToDrop(settings: ShownSettings, changes: Record<string, unknown>): SecretName[] {
  const after = { ...settings, ...changes } as ShownSettings
  return secrets.filter(
    (name) =>
      settings[name] !== null &&
      !(name in changes) &&
      secretAddress(name, readerOf(after)) !== secretAddress(name, readerOf(settings)),
  )
}

const readerOf =
  (settings: ShownSettings) =>
  <N extends SettingName>(name: N): Settings[N] =>
    (settings[name] ?? undefined) as Settings[N]
