import { Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleUser, LogOut, Monitor, Moon, Sun, UserCog } from 'lucide-react'
import { sessionQuery } from '../api/session-query.ts'
import { useSignOut } from '../api/use-sign-out.ts'
import styles from './frame.module.css'

const themes = [
  { value: 'auto', label: 'System theme', icon: Monitor },
  { value: 'light', label: 'Light theme', icon: Sun },
  { value: 'dark', label: 'Dark theme', icon: Moon },
] as const

export function AccountMenu() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  const name = session?.user.username ?? ''
  return (
    <Menu position="right-end" width={220}>
      <Menu.Target>
        <UnstyledButton className={styles.link} aria-label={`Account of ${name}`}>
          <CircleUser size={18} aria-hidden />
          <span className={styles.label}>{name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/account" leftSection={<UserCog size={16} aria-hidden />}>
          Personal settings
        </Menu.Item>
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
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} closeMenuOnClick={false} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
        {signOut.error && (
          <Text size="sm" c="var(--bad)" role="alert" px="sm" pb="xs">
            {signOut.error.message}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
