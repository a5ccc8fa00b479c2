import { Tooltip, UnstyledButton } from '@mantine/core'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { Ellipsis, Search } from 'lucide-react'
import { type CSSProperties, Fragment, type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from '../lazy-part.ts'
import { type LoadPalette, useSearchDialog } from '../palette/search-dialog.tsx'
import { isMac, useShortcut } from '../shortcuts.ts'
import { AccountMenu } from './account-menu.tsx'
import styles from './frame.module.css'
import type { FrameAccount, FramePage } from './frame-page.ts'
import { HelpMenu } from './help-menu.tsx'

type FrameProps = {
  /** The address of the picture next to the name. */
  icon: string
  pages: readonly FramePage[]
  /** Further pages, below a title. */
  more?: readonly FramePage[]
  /** Chooses what the pages show. */
  switcher?: ReactNode
  /** The pages of the help menu; without them there is none. */
  help?: readonly FramePage[]
  account: FrameAccount
  /** Loads the list of the palette when it is needed, so that the first page appears sooner. */
  palette: LoadPalette
  /** Notices above each page. */
  notices?: ReactNode
  /** The line of running work. */
  work?: ReactNode
}

/** The header and navigation around every page of a signed-in user. */
export function Frame({ icon, pages, more = [], switcher, help = [], account, palette, notices, work }: FrameProps) {
  const [hasShortcuts, setHasShortcuts] = useState(false)
  const [isLoaded, setIsLoaded] = useState(false)
  const showShortcuts = () => {
    setIsLoaded(true)
    setHasShortcuts(true)
  }
  useShortcut('list', showShortcuts)
  const search = useSearchDialog(palette, showShortcuts)
  const [isMoreOpen, setIsMoreOpen] = useState<boolean>()
  const notInBar = [...pages, ...more].filter(({ isInBar }) => !isInBar)
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
          {help.length > 0 && <HelpMenu pages={help} showShortcuts={showShortcuts} />}
          <AccountMenu {...account} />
          <MoreButton pages={notInBar} open={() => setIsMoreOpen(true)} />
        </div>
      </aside>
      {work}
      <main id="main" tabIndex={-1} className={styles.main}>
        {notices}
        <Outlet />
      </main>
      {search.element}
      <Suspense>
        {isMoreOpen !== undefined && (
          <MoreSheet {...{ help, account }} pages={notInBar} isOpen={isMoreOpen} close={() => setIsMoreOpen(false)} />
        )}
      </Suspense>
      <Suspense>{isLoaded && <ShortcutList isOpen={hasShortcuts} close={() => setHasShortcuts(false)} />}</Suspense>
    </div>
  )
}

const ShortcutList = lazyPart(async () => ({ default: (await import('./shortcut-list.tsx')).ShortcutList }))

const MoreSheet = lazyPart(async () => ({ default: (await import('./more-sheet.tsx')).MoreSheet }))

const focusMain = (): void => document.getElementById('main')?.focus()

const Navigation = ({ pages, more }: { pages: readonly FramePage[]; more: readonly FramePage[] }) => (
  <nav aria-label="Main" style={{ '--pages-in-bar': pages.filter(({ isInBar }) => isInBar).length } as CSSProperties}>
    <ul className={styles.links}>
      {pages.map((page) => (
        <PageLink key={page.to} {...page} />
      ))}
    </ul>
    {more.length > 0 && (
      <>
        <div className={styles.moreTitle} id="more-pages">
          More
        </div>
        <ul className={`${styles.links} ${styles.notInBar}`} aria-labelledby="more-pages">
          {more.map((page) => (
            <PageLink key={page.to} {...page} />
          ))}
        </ul>
      </>
    )}
  </nav>
)

const PageLink = ({ to, label, icon: Icon, name, badge, isInBar }: FramePage) => (
  <li className={isInBar ? undefined : styles.notInBar}>
    <Tooltip label={label} position="right" classNames={{ tooltip: styles.linkTooltip ?? '' }}>
      <Link to={to} className={styles.link} activeOptions={{ exact: to === '/' }} aria-label={name ?? label}>
        <Icon size={18} aria-hidden />
        {/* The space separates the words that are seen, which the name repeats. */}
        <span className={styles.label}>{label}</span> {badge}
      </Link>
    </Tooltip>
  </li>
)

/** Opens the sheet on phones. It has the badges of the pages in the sheet. */
function MoreButton({ pages, open }: { pages: readonly FramePage[]; open: () => void }) {
  const isHere = useLocation({ select: ({ pathname }) => pages.some(({ to }) => pathname.startsWith(to)) })
  // The words after those that are seen: "More" and the badges.
  const badges = pages.flatMap(({ name, label }) =>
    name === undefined || name === label ? [] : `${name.slice(label.length)} (${label})`,
  )
  return (
    <UnstyledButton
      className={`${styles.link} ${styles.onlyInBar}`}
      data-status={isHere ? 'active' : undefined}
      aria-label={badges.length === 0 ? 'More pages' : `More${badges.join('')}`}
      aria-haspopup="dialog"
      onClick={open}
    >
      <Ellipsis size={18} aria-hidden />
      <span className={styles.label}>More</span> {pages.map(({ to, badge }) => badge && <Fragment key={to}>{badge}</Fragment>)}
    </UnstyledButton>
  )
}

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
