import type { SettingsStore } from '../../../shared/store/settings-store.ts'
import type { InstallCatalog } from './sqlite-catalog.ts'

export type PrivateWarningPorts = { settings: Pick<SettingsStore, 'get'>; catalog: Pick<InstallCatalog, 'libraries'> }

/**
 * The callers who can read the private libraries of the install. Undefined if there are none, or if an admin has chosen the
 * readers.
 */
export function unchosenReaders({ settings, catalog }: PrivateWarningPorts): 'everyone' | 'key' | undefined {
  if (settings.get('permissions.privateChosen') || !catalog.libraries().some((each) => each.private)) return undefined
  return settings.get('permissions.hidePrivate') || settings.get('permissions.requireMcpAuth') ? 'key' : 'everyone'
}

/** A sentence about `unchosenReaders`. */
export function privateWarning(ports: PrivateWarningPorts): string | undefined {
  const readers = unchosenReaders(ports)
  if (readers === undefined) return undefined
  const who = readers === 'key' ? 'people and agents with a key' : 'everyone who reaches this server'
  return `Private libraries can be read by ${who}, and nobody has chosen that. An admin chooses on the page Permissions of the settings, or with the setting permissions.hidePrivate: true for only people and agents with a key, false for everyone who reaches this server.`
}
