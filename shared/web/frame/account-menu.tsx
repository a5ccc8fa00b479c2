import { Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { CircleUser, LogOut } from 'lucide-react'
import type { ReactNode } from 'react'
import { themes } from '../themes.ts'
import styles from './frame.module.css'

type AccountMenuProps = {
  /** The name of the user. */
  name: string
  signOut: () => void
  error: Error | null
  /** Links above the themes. */
  children: ReactNode
}

export function AccountMenu({ name, signOut, error, children }: AccountMenuProps) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="right-end" width={220}>
      <Menu.Target>
        <UnstyledButton className={styles.link} aria-label={`Account of ${name}`}>
          <CircleUser size={18} aria-hidden />
          <span className={styles.label}>{name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        <Menu.Divider />
        {themes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            leftSection={<Icon size={16} aria-hidden />}
            fw={colorScheme === value ? 600 : 400}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} closeMenuOnClick={false} onClick={signOut}>
          Sign out
        </Menu.Item>
        {error && (
          <Text size="sm" c="var(--bad)" role="alert" px="sm" pb="xs">
            {error.message}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
