import { type HostSecretName, isHostSecret } from '../../../../shared/settings/git-secrets.ts'
import { secretAddress } from '../../../../shared/settings/secret-address.ts'
import type { SecretName, SettingName, Settings } from '../../../../shared/settings/settings.ts'
import type { ShownSettings } from '../../api/queries.ts'

const secrets: readonly SecretName[] = [
  'github.token',
  'gitlab.token',
  'confluence.token',
  'llm.apiKey',
  'embedding.apiKey',
  'notifications.smtpUser',
  'notifications.smtpPassword',
]

/** The stored secrets that these changes would delete, because they belong to another address then. */
export function secretsToDrop(settings: ShownSettings, changes: Record<string, unknown>): (SecretName | HostSecretName)[] {
  const after = { ...settings, ...withList(changes) } as ShownSettings
  const ofHosts = Object.keys(settings).filter(isHostSecret)
  return [...secrets, ...ofHosts].filter(
    (name) =>
      settings[name] != null &&
      !(name in changes) &&
      secretAddress(name, readerOf(after)) !== secretAddress(name, readerOf(settings)),
  )
}

/** The draft holds the list of hosts as its text. */
const withList = (changes: Record<string, unknown>): Record<string, unknown> =>
  'git.hosts' in changes ? { ...changes, 'git.hosts': JSON.parse(String(changes['git.hosts'] ?? '[]')) } : changes

const readerOf =
  (settings: ShownSettings) =>
  <N extends SettingName>(name: N): Settings[N] =>
    (settings[name] ?? undefined) as Settings[N]
