import { UnstyledButton } from '@mantine/core'
import { Search } from 'lucide-react'
import styles from './frame.module.css'

export const PaletteButton = ({ open }: { open: () => void }) => (
  <UnstyledButton className={styles.link} onClick={open} aria-label="Search pages and libraries">
    <Search size={18} aria-hidden />
    <span className={styles.label}>Search</span>
    <kbd className={styles.key}>{isMac() ? '⌘K' : 'Ctrl K'}</kbd>
  </UnstyledButton>
)

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform)
