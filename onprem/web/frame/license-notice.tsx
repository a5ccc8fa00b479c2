import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { TextLink } from '../../../shared/web/link-button.tsx'
import { healthQuery } from '../api/health-query.ts'
import { licenseExpiry } from '../api/license-expiry.ts'
import { sessionQuery } from '../api/session-query.ts'
import styles from './license-notice.module.css'

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
