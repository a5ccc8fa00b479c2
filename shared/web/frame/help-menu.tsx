import { Menu, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CircleQuestionMark, Keyboard } from 'lucide-react'
import styles from './frame.module.css'
import type { FramePage } from './frame-page.ts'

type HelpMenuProps = { pages: readonly FramePage[]; showShortcuts: () => void }

export const HelpMenu = ({ pages, showShortcuts }: HelpMenuProps) => (
  <Menu position="right-end" width={220}>
    <Menu.Target>
      <UnstyledButton className={`${styles.link} ${styles.notInBar}`} aria-label="Help">
        <CircleQuestionMark size={18} aria-hidden />
        <span className={styles.label}>Help</span>
      </UnstyledButton>
    </Menu.Target>
    <Menu.Dropdown>
      {pages.map(({ to, label, icon: Icon }) => (
        <Menu.Item key={to} component={Link} to={to} leftSection={<Icon size={16} aria-hidden />}>
          {label}
        </Menu.Item>
      ))}
      <Menu.Item leftSection={<Keyboard size={16} aria-hidden />} onClick={showShortcuts}>
        Keyboard shortcuts
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
)
