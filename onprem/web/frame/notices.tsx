import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { TextLink } from '../../../shared/web/link-button.tsx'
import { licenseExpiry } from '../api/license-expiry.ts'
import { healthQuery } from '../api/queries.ts'
import { sessionQuery } from '../api/session-query.ts'
import styles from './notices.module.css'

/** Warns admins on every page from 30 days before the license expires. */
export function LicenseNotice() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const isAdmin = session?.user.role === 'admin'
  const { data: health } = useQuery({ ...healthQuery, enabled: isAdmin })
  if (!isAdmin || !health) return null
  const { state, left } = licenseExpiry(health.licenseInfo.expiresAt, Date.now())
  if (state === 'valid') return null
  return (
    <div className={styles.notice} data-state={state}>
      <CircleAlert size={16} aria-hidden />
      <span>
        The license {left}. <TextLink to="/settings/license">What to do</TextLink>
      </span>
    </div>
  )
}

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
