import { useQueryClient } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useEffect } from 'react'
import { serverAway, useServerAway } from '../api/server-away.ts'
import styles from './server-notice.module.css'

const askEveryMs = 2_000

/** Says that the server cannot be reached, asks for it, and reads everything again when it is back. `ping` fails while it is away. */
export function ServerNotice({ ping }: { ping: () => Promise<unknown> }) {
  const queryClient = useQueryClient()
  const isAway = useServerAway()
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(
      () =>
        void ping().then(
          () => {
            serverAway.set(false)
            return queryClient.invalidateQueries()
          },
          () => {},
        ),
      askEveryMs,
    )
    return () => clearInterval(timer)
  }, [isAway, ping, queryClient])
  return (
    <div role="status">
      {isAway && (
        <div className={styles.notice}>
          <WifiOff size={16} aria-hidden />
          <span>Carrel cannot be reached. This page stays as it is and continues when the server is back.</span>
        </div>
      )}
    </div>
  )
}
