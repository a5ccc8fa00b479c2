import { ifMatch, stateOf } from '../../../shared/web/api/answer-of.ts'
import { Conflict, changeState } from '../../../shared/web/api/change-state.ts'
import { api } from './api.ts'
import { type SettingName, type ShownSettings, settingsQuery } from './queries.ts'
import { queryClient } from './query-client.ts'

/**
 * Stores only these changes, where null clears a setting. Returns the names of the secrets that the server deleted, because their address
 * changed. Throws Conflict if one of the settings has changed since `loaded`; the page then shows the stored values.
 */
export async function changeSettings(loaded: ShownSettings, changes: Partial<Record<SettingName, unknown>>): Promise<string[]> {
  const ownOf = (names: readonly string[]) => names.filter((name) => name in changes)
  const send = async (etag: string) => {
    const call = api.settings.$patch({ json: changes }, ifMatch(etag))
    return { settings: await stateOf(call), headers: (await call).headers }
  }
  const { settings, headers } = await changeState(loaded.etag, ownOf, send).catch(async (error: unknown) => {
    if (error instanceof Conflict) await queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey })
    throw error
  })
  queryClient.setQueryData(settingsQuery.queryKey, settings)
  await Promise.all([['health'], ['setup']].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  const dropped = headers.get('x-carrel-dropped') ?? ''
  return dropped.split(', ').filter((name) => name !== '')
}
