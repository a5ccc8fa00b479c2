import { NativeSelect } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { sessionQuery } from '../../api/session-query.ts'
import { AdminsOnly } from '../../frame/admins-only.tsx'
import { settingsPages } from '../../frame/settings-pages.ts'
import styles from './settings-page.module.css'

/** The frame of all settings: the list of pages, and the page. */
export function SettingsPage() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  if (session?.user.role !== 'admin') return <AdminsOnly title="Settings" />
  return (
    <div className={styles.settings}>
      <PageList />
      <PageSelect />
      <div className={styles.page}>
        <Outlet />
      </div>
    </div>
  )
}

const PageList = () => (
  <nav aria-label="Settings" className={styles.list}>
    <ul>
      {settingsPages.map(({ to, label, icon: Icon }) => (
        <li key={to}>
          <Link to={to} className={styles.link}>
            <Icon size={16} aria-hidden />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)

/** The list on narrow screens. */
function PageSelect() {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  return (
    <NativeSelect
      className={styles.select}
      aria-label="Page of the settings"
      data={settingsPages.map(({ to, label }) => ({ value: to, label }))}
      value={settingsPages.find(({ to }) => pathname.startsWith(to))?.to}
      onChange={(event) => void navigate({ to: event.currentTarget.value })}
    />
  )
}
