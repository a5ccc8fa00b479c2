import { Outlet } from '@tanstack/react-router'
import { AccountMenu } from './account-menu.tsx'
import styles from './frame.module.css'
import { Navigation } from './navigation.tsx'
import { Palette, PaletteButton } from './palette.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import { Work } from './work.tsx'

/** What surrounds every page of a signed-in user. */
export const Frame = () => (
  <div className={styles.frame}>
    <button type="button" className={styles.skip} onClick={focusMain}>
      Skip to content
    </button>
    <aside className={styles.sidebar}>
      <div className={styles.brand} aria-hidden>
        <img src={new URL('../public/icon.svg', import.meta.url).href} alt="" width={24} height={24} />
        <span className={styles.brandName}>Carrel</span>
      </div>
      <Navigation />
      <div className={styles.account}>
        <PaletteButton />
        <AccountMenu />
      </div>
    </aside>
    <Work />
    <main id="main" tabIndex={-1} className={styles.main}>
      <Outlet />
    </main>
    <Palette />
    <SignInAgain />
  </div>
)

const focusMain = (): void => document.getElementById('main')?.focus()
