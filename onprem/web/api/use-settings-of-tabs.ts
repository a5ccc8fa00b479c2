import { useCallback, useEffect } from 'react'
import { settingsQuery } from './queries.ts'
import { queryClient } from './query-client.ts'

const channelName = 'carrel-settings'

/** Reads the settings again when another tab has saved some. Returns a function that informs the other tabs. */
export function useSettingsOfTabs(): () => void {
  useEffect(() => {
    const channel = new BroadcastChannel(channelName)
    channel.onmessage = () => void queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey })
    return () => channel.close()
  }, [])
  return useCallback(() => {
    const channel = new BroadcastChannel(channelName)
    channel.postMessage('saved')
    channel.close()
  }, [])
}
