import { UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import icon from '../public/icon.svg'
import { AccountMenu } from './account-menu.tsx'
import styles from './frame.module.css'
import { Navigation } from './navigation.tsx'
import { LicenseNotice, PrivateNotice } from './notices.tsx'
import { Work } from './work.tsx'

// The palette is loaded when it is needed, so that the first page appears sooner.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

/** The header and navigation around every page of a signed-in user. */
export function Frame() {
  const [palette, setPalette] = useState(0)
  const openPalette = () => setPalette((times) => times + 1)
  useHotkeys([['mod+K', openPalette]], [])
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
        <Navigation />
        <div className={styles.account}>
          <PaletteButton open={openPalette} />
          <AccountMenu />
        </div>
      </aside>
      <Work />
      <main id="main" tabIndex={-1} className={styles.main}>
        <LicenseNotice />
        <PrivateNotice />
        <Outlet />
      </main>
      <Suspense>{palette > 0 && <Palette opened={palette} />}</Suspense>
    </div>
  )
}

const focusMain = (): void => document.getElementById('main')?.focus()

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

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform)
