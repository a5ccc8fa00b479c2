import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { TextLink } from '../../../shared/web/link-button.tsx'
import { healthQuery } from '../api/health-query.ts'
import { sessionQuery } from '../api/session-query.ts'
import styles from './license-notice.module.css'

const readers = { everyone: 'everyone who reaches this server', key: 'people and agents with a key' }

/** Shows on every page who can read private libraries, until an admin has chosen it. */
export function PrivateNotice() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const { data: health } = useQuery(healthQuery)
  if (!session || !health?.unchosenReaders) return null
  return (
    <div className={styles.notice}>
      <CircleAlert size={16} aria-hidden />
      <span>
        Private libraries can be read by {readers[health.unchosenReaders]}, and nobody has chosen that.{' '}
        {session.user.role === 'admin' ? <TextLink to="/settings/permissions">Choose</TextLink> : 'An admin can choose.'}
      </span>
    </div>
  )
}
