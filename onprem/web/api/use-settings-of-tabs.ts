import { useCallback, useEffect, useRef } from 'react'
import { settingsQuery } from './queries.ts'
import { queryClient } from './query-client.ts'

const channelName = 'carrel-settings'

/** Reads the settings again when another tab has saved some, and calls `onSaved` with their names. Returns a function that informs the other tabs. */
export function useSettingsOfTabs(onSaved: (names: readonly string[]) => void): (names: readonly string[]) => void {
  const latest = useRef(onSaved)
  latest.current = onSaved
  useEffect(() => {
    const channel = new BroadcastChannel(channelName)
    channel.onmessage = ({ data: names }: MessageEvent<readonly string[]>) => {
      void queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey })
      latest.current(names)
    }
    return () => channel.close()
  }, [])
  return useCallback((names) => {
    const channel = new BroadcastChannel(channelName)
    channel.postMessage(names)
    channel.close()
  }, [])
}
