import { secretNames } from '../../shared/settings/settings.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'

const hidden = '***'
const minSecretLength = 4

/** Keys, tokens and signed licenses as their makers write them, and what stands before the `@` of an address. */
const looksSecret =
  /\b(?:carrel_[a-z]{2,8}_|ctx7\w*-|sk-|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA)[\w-]{4,}|\beyJ[\w-]{8,}(?:\.[\w-]+\.[\w-]*)?|\b(?<=(?:Bearer|Basic) )[^\s"\\]+|(?<=:\/\/)[^\s/"\\@]+(?=@)/g

/** Takes out of a text, or of JSON, every secret that the settings hold and what looks like one. */
export function redactSecrets(settings: Pick<SettingsStore, 'getSecret'>): (text: string) => string {
  const secrets = secretNames.flatMap((name) => readable(settings, name)).filter((secret) => secret.length >= minSecretLength)
  const written = [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
  return (text) => written.reduce((left, secret) => left.replaceAll(secret, hidden), text).replace(looksSecret, hidden)
}

/** One that the key file cannot open cannot stand in a text either. */
function readable(settings: Pick<SettingsStore, 'getSecret'>, name: (typeof secretNames)[number]): string[] {
  try {
    return [settings.getSecret(name) ?? ''].filter((secret) => secret !== '')
  } catch {
    return []
  }
}
