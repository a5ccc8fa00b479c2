import { isListedSecret, type ListedSecretName } from '../../../../shared/settings/listed-secrets.ts'
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
export function secretsToDrop(settings: ShownSettings, changes: Record<string, unknown>): (SecretName | ListedSecretName)[] {
  const after = { ...settings, ...withLists(changes) } as ShownSettings
  const ofLists = Object.keys(settings).filter(isListedSecret)
  return [...secrets, ...ofLists].filter(
    (name) =>
      settings[name] != null &&
      !(name in changes) &&
      secretAddress(name, readerOf(after)) !== secretAddress(name, readerOf(settings)),
  )
}

/** The draft holds the lists of hosts and of issuers as texts. */
const withLists = (changes: Record<string, unknown>): Record<string, unknown> => {
  const lists = ['git.hosts', 'sso.issuers'].filter((name) => name in changes)
  return { ...changes, ...Object.fromEntries(lists.map((name) => [name, JSON.parse(String(changes[name] ?? '[]'))])) }
}

const readerOf =
  (settings: ShownSettings) =>
  <N extends SettingName>(name: N): Settings[N] =>
    (settings[name] ?? undefined) as Settings[N]
