import { answerOf, api } from './api.ts'
import { queryClient } from './query-client.ts'
import { type SettingName, type ShownSettings, settingsQuery } from './settings-query.ts'

/** The settings that a form wanted to change have changed since it was loaded. Nothing was stored. */
export class SettingsConflict extends Error {
  readonly names: readonly SettingName[]
  constructor(names: readonly SettingName[]) {
    super(
      `${names.join(', ')} changed since this page was loaded. The page shows the stored value now; change it again if needed.`,
    )
    this.name = 'SettingsConflict'
    this.names = names
  }
}

/** Stores only these changes, where null clears a setting. Throws SettingsConflict if one of the settings differs from `loaded`. */
export async function changeSettings(
  loaded: ShownSettings,
  changes: Partial<Record<SettingName, unknown>>,
): Promise<ShownSettings> {
  const stored = await answerOf(api.settings.$get())
  queryClient.setQueryData(settingsQuery.queryKey, stored)
  const names = (Object.keys(changes) as SettingName[]).filter(
    (name) => JSON.stringify(stored[name]) !== JSON.stringify(loaded[name]),
  )
  if (names.length > 0) throw new SettingsConflict(names)
  const changed = await answerOf(api.settings.$patch({ json: changes }))
  queryClient.setQueryData(settingsQuery.queryKey, changed)
  await queryClient.invalidateQueries({ queryKey: ['health'] })
  return changed
}
