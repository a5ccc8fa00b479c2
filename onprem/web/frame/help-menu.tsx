import { Menu, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CircleQuestionMark, Keyboard } from 'lucide-react'
import frame from '../../../shared/web/frame/frame.module.css'
import { helpPages } from './help-pages.ts'

/** The documentation, all of which the install serves itself. */
export const HelpMenu = ({ showShortcuts }: { showShortcuts: () => void }) => (
  <Menu position="right-end" width={220}>
    <Menu.Target>
      <UnstyledButton className={frame.link} aria-label="Help">
        <CircleQuestionMark size={18} aria-hidden />
        <span className={frame.label}>Help</span>
      </UnstyledButton>
    </Menu.Target>
    <Menu.Dropdown>
      {helpPages.map(({ to, label, icon: Icon }) => (
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
