import { UnstyledButton } from '@mantine/core'
import { Search } from 'lucide-react'
import styles from './frame.module.css'

/** The stylesheet writes the keys: as a text of the button, they would have to be a part of its name. */
export const PaletteButton = ({ open }: { open: () => void }) => (
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
