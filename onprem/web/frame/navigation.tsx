import { Tooltip } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChartColumn, Library, ListTodo, MessageSquareText, PlugZap, Settings } from 'lucide-react'
import { sessionQuery } from '../api/session-query.ts'
import styles from './frame.module.css'
import { useQueueLabel, WorkBadge } from './work.tsx'

/** The main pages, in the order of the sidebar. */
export const mainPages = [
  { to: '/', label: 'Libraries', icon: Library },
  { to: '/queue', label: 'Queue', icon: ListTodo },
  { to: '/playground', label: 'Playground', icon: MessageSquareText },
  { to: '/usage', label: 'Usage', icon: ChartColumn },
  { to: '/connect', label: 'Connect', icon: PlugZap },
  { to: '/settings', label: 'Settings', icon: Settings, role: 'admin' },
] as const

export function Navigation() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const queueLabel = useQueueLabel('Queue')
  const pages = mainPages.filter((page) => !('role' in page) || session?.user.role === page.role)
  return (
    <nav aria-label="Main">
      <ul className={styles.links}>
        {pages.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Tooltip label={label} position="right" classNames={{ tooltip: styles.linkTooltip ?? '' }}>
              <Link
                to={to}
                className={styles.link}
                activeOptions={{ exact: to === '/' }}
                aria-label={to === '/queue' ? queueLabel : label}
              >
                <Icon size={18} aria-hidden />
                {/* The space separates the words that are seen, which the name repeats. */}
                <span className={styles.label}>{label}</span> {to === '/queue' && <WorkBadge />}
              </Link>
            </Tooltip>
          </li>
        ))}
      </ul>
    </nav>
  )
}
