import type { ConfluenceCredentials } from '../schemas/confluence-site.ts'
import type { SettingsStore } from './settings-store.ts'

/** The credentials of a site; undefined for another site than the one in the settings, which they belong to. */
export function confluenceCredentials(
  settings: Pick<SettingsStore, 'get' | 'getSecret'>,
  site: string,
): ConfluenceCredentials | undefined {
  const token = settings.get('confluence.baseUrl') === site ? settings.getSecret('confluence.token') : undefined
  return token === undefined ? undefined : { user: settings.get('confluence.user'), token }
}
