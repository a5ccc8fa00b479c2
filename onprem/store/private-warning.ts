import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { ProjectCatalog } from './sqlite-catalog.ts'

export type PrivateWarningPorts = { settings: Pick<SettingsStore, 'get'>; catalog: Pick<ProjectCatalog, 'projects'> }

/** Says who can read the private libraries of the install. Undefined if there are none, or if somebody has chosen it. */
export function privateWarning({ settings, catalog }: PrivateWarningPorts): string | undefined {
  if (settings.get('permissions.privateChosen') || !catalog.projects().some((each) => each.private)) return undefined
  const withKey = settings.get('permissions.hidePrivate') || settings.get('permissions.requireMcpAuth')
  const readers = withKey ? 'people and agents with a key' : 'everyone who reaches this server'
  return `Private libraries can be read by ${readers}, and nobody has chosen that. An admin chooses on the page Permissions of the settings, or with the setting permissions.hidePrivate: true for only people and agents with a key, false for everyone who reaches this server.`
}
