import { answerOf, api } from './api.ts'
import { type SettingName, type ShownSettings, settingsQuery } from './queries.ts'
import { queryClient } from './query-client.ts'

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

/** The settings among these changes whose values differ. */
export const changedSince = (loaded: ShownSettings, stored: ShownSettings, changes: object): SettingName[] =>
  (Object.keys(changes) as SettingName[]).filter((name) => JSON.stringify(stored[name]) !== JSON.stringify(loaded[name]))

/**
 * Stores only these changes, where null clears a setting. Returns the names of the secrets that the server deleted, because their address
 * changed. Throws SettingsConflict if one of the settings differs from `loaded`.
 */
export async function changeSettings(loaded: ShownSettings, changes: Partial<Record<SettingName, unknown>>): Promise<string[]> {
  const stored = await answerOf(api.settings.$get())
  queryClient.setQueryData(settingsQuery.queryKey, stored)
  const names = changedSince(loaded, stored, changes)
  if (names.length > 0) throw new SettingsConflict(names)
  const answer = api.settings.$patch({ json: changes })
  queryClient.setQueryData(settingsQuery.queryKey, await answerOf(answer))
  await queryClient.invalidateQueries({ queryKey: ['health'] })
  const dropped = (await answer).headers.get('x-carrel-dropped') ?? ''
  return dropped.split(', ').filter((name) => name !== '')
}
