import { secretNames } from '../../shared/settings/settings.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'

const redacted = '***'
const minSecretLength = 4

/** Keys, tokens and signed licenses in the formats of their issuers, and the credentials in a URL. */
const secretPattern =
  /\b(?:carrel_[a-z]{2,8}_|ctx7\w*-|sk-|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA)[\w-]{4,}|\beyJ[\w-]{8,}(?:\.[\w-]+\.[\w-]*)?|\b(?<=(?:Bearer|Basic) )[^\s"\\]+|(?<=:\/\/)[^\s/"\\@]+(?=@)/g

/** Returns a function that removes the secrets of the settings, and text that looks like a secret, from a text or from JSON. */
export function redactSecrets(settings: Pick<SettingsStore, 'getSecret'>): (text: string) => string {
  const secrets = secretNames.flatMap((name) => readable(settings, name)).filter((secret) => secret.length >= minSecretLength)
  const written = [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
  return (text) => written.reduce((left, secret) => left.replaceAll(secret, redacted), text).replace(secretPattern, redacted)
}

/** A secret that cannot be decrypted cannot be in a text either. */
function readable(settings: Pick<SettingsStore, 'getSecret'>, name: (typeof secretNames)[number]): string[] {
  try {
    return [settings.getSecret(name) ?? ''].filter((secret) => secret !== '')
  } catch {
    return []
  }
}
