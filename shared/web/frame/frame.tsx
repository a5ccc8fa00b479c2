import { Menu, Tooltip, UnstyledButton } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { Ellipsis, type LucideIcon, Search } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { type LoadPalette, useSearchDialog } from '../palette/search-dialog.tsx'
import { isMac, useShortcut } from '../shortcuts.ts'
import styles from './frame.module.css'

/** A page in the sidebar. `name` is what a screen reader says instead of `label`; `badge` stands next to it. */
export type FramePage = { to: string; label: string; icon: LucideIcon; name?: string; badge?: ReactNode }

type FrameProps = {
  /** The address of the picture next to the name. */
  icon: string
  pages: readonly FramePage[]
  /** Further pages, which narrow screens show in a menu. */
  more?: readonly FramePage[]
  /** Chooses what the pages show. */
  switcher?: ReactNode
  /** The menu of help, which can show the shortcuts. */
  help?: (showShortcuts: () => void) => ReactNode
  account: ReactNode
  /** Loads the list of the palette when it is needed, so that the first page appears sooner. */
  palette: LoadPalette
  /** Notices above each page. */
  notices?: ReactNode
  /** The line of running work. */
  work?: ReactNode
}

/** The header and navigation around every page of a signed-in user. */
export function Frame({ icon, pages, more = [], switcher, help, account, palette, notices, work }: FrameProps) {
  const search = useSearchDialog(palette)
  const [hasShortcuts, setHasShortcuts] = useState(false)
  const [isLoaded, setIsLoaded] = useState(false)
  const showShortcuts = () => {
    setIsLoaded(true)
    setHasShortcuts(true)
  }
  useShortcut('list', showShortcuts)
  return (
    <div className={styles.frame}>
      <button type="button" className={styles.skip} onClick={focusMain}>
        Skip to content
      </button>
      <aside className={styles.sidebar}>
        <div className={styles.brand} aria-hidden>
          <img src={icon} alt="" width={24} height={24} />
          <span className={styles.brandName}>Carrel</span>
        </div>
        {switcher}
        <Navigation pages={pages} more={more} />
        <div className={styles.account}>
          <PaletteButton open={search.open} />
          {help?.(showShortcuts)}
          {account}
        </div>
      </aside>
      {work}
      <main id="main" tabIndex={-1} className={styles.main}>
        {notices}
        <Outlet />
      </main>
      {search.element}
      <Suspense>{isLoaded && <ShortcutList isOpen={hasShortcuts} close={() => setHasShortcuts(false)} />}</Suspense>
    </div>
  )
}

const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list.tsx')).ShortcutList }))

const focusMain = (): void => document.getElementById('main')?.focus()

const Navigation = ({ pages, more }: { pages: readonly FramePage[]; more: readonly FramePage[] }) => (
  <nav aria-label="Main">
    <ul className={styles.links}>
      {pages.map((page) => (
        <PageLink key={page.to} {...page} />
      ))}
      {more.length > 0 && (
        <li className={styles.moreMenu}>
          <MoreMenu pages={more} />
        </li>
      )}
    </ul>
    {more.length > 0 && (
      <>
        <div className={styles.moreTitle} id="more-pages">
          More
        </div>
        <ul className={`${styles.links} ${styles.moreLinks}`} aria-labelledby="more-pages">
          {more.map((page) => (
            <PageLink key={page.to} {...page} />
          ))}
        </ul>
      </>
    )}
  </nav>
)

const PageLink = ({ to, label, icon: Icon, name, badge }: FramePage) => (
  <li>
    <Tooltip label={label} position="right" classNames={{ tooltip: styles.linkTooltip ?? '' }}>
      <Link to={to} className={styles.link} activeOptions={{ exact: to === '/' }} aria-label={name ?? label}>
        <Icon size={18} aria-hidden />
        {/* The space separates the words that are seen, which the name repeats. */}
        <span className={styles.label}>{label}</span> {badge}
      </Link>
    </Tooltip>
  </li>
)

const MoreMenu = ({ pages }: { pages: readonly FramePage[] }) => (
  <Menu position="top" withInitialFocusPlaceholder={false}>
    <Menu.Target>
      <UnstyledButton className={styles.link} aria-label="More pages">
        <Ellipsis size={18} aria-hidden />
      </UnstyledButton>
    </Menu.Target>
    <Menu.Dropdown>
      {pages.map(({ to, label, icon: Icon }) => (
        <Menu.Item key={to} component={Link} to={to} leftSection={<Icon size={16} aria-hidden />}>
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
)

/** The stylesheet writes the keys: as a text of the button, they would have to be a part of its name. */
const PaletteButton = ({ open }: { open: () => void }) => (
  <UnstyledButton
    className={styles.link}
    onClick={open}
    aria-label="Search pages and libraries"
    aria-keyshortcuts={isMac() ? 'Meta+K' : 'Control+K'}
  >
    <Search size={18} aria-hidden />
    <span className={styles.label}>Search</span>
    <span className={styles.key} data-keys={isMac() ? '⌘K' : 'Ctrl K'} aria-hidden />
  </UnstyledButton>
)
