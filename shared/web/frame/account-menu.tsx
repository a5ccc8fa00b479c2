import { Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CircleUser, LogOut } from 'lucide-react'
import { MessageText } from '../message-text.tsx'
import { themes } from '../themes.ts'
import styles from './frame.module.css'
import type { FrameAccount } from './frame-page.ts'

export function AccountMenu({ name, page: { to, label, icon: PageIcon }, signOut, error }: FrameAccount) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="right-end" width={220}>
      <Menu.Target>
        <UnstyledButton className={`${styles.link} ${styles.notInBar}`} aria-label={`Account of ${name}`}>
          <CircleUser size={18} aria-hidden />
          <span className={styles.label}>{name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={to} leftSection={<PageIcon size={16} aria-hidden />}>
          {label}
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
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} closeMenuOnClick={false} onClick={signOut}>
          Sign out
        </Menu.Item>
        {error && (
          <Text size="sm" c="var(--bad)" role="alert" px="sm" pb="xs">
            <MessageText>{error.message}</MessageText>
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
