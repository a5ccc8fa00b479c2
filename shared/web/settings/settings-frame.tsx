import { NativeSelect } from '@mantine/core'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import styles from './settings.module.css'

type SettingsPage = { to: string; label: string; icon: LucideIcon; group?: string | undefined }
/** Pages of a group follow each other. */
type SettingsFrameProps = { pages: readonly SettingsPage[] }

/** The frame of all settings: the list of pages, and the page. */
export const SettingsFrame = ({ pages }: SettingsFrameProps) => (
  <div className={styles.settings}>
    <PageList pages={pages} />
    <PageSelect pages={pages} />
    <div className={styles.page}>
      <Outlet />
    </div>
  </div>
)

const byGroup = (pages: readonly SettingsPage[]) => [...Map.groupBy(pages, ({ group = '' }) => group)]

const PageList = ({ pages }: SettingsFrameProps) => (
  <nav aria-label="Settings" className={styles.list}>
    {byGroup(pages).map(([group, members]) => (
      <div key={group}>
        <div className={styles.group} id={`settings-${group}`}>
          {group}
        </div>
        <ul aria-labelledby={`settings-${group}`}>
          {members.map(({ to, label, icon: Icon }) => (
            <li key={to}>
              <Link to={to} className={styles.link}>
                <Icon size={16} aria-hidden />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    ))}
  </nav>
)

/** The list on narrow screens. */
function PageSelect({ pages }: SettingsFrameProps) {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  return (
    <NativeSelect
      className={styles.select}
      aria-label="Page of the settings"
      data={byGroup(pages).map(([group, members]) => ({
        group,
        items: members.map(({ to, label }) => ({ value: to, label })),
      }))}
      value={pages.find(({ to }) => pathname.startsWith(to))?.to}
      onChange={(event) => void navigate({ to: event.currentTarget.value })}
    />
  )
}
