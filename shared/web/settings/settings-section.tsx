import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import styles from './settings.module.css'

type SettingsSectionProps = {
  title: string
  /** The purpose of the page, in one or two sentences. */
  about?: ReactNode
  /** The primary action, at the top right. */
  action?: ReactNode
  children: ReactNode
}

/** A page of the settings: its title, also that of the tab, above its content. */
export function SettingsSection({ title, about, action, children }: SettingsSectionProps) {
  useEffect(() => {
    document.title = `${title} · Settings · Carrel`
  }, [title])
  return (
    <Stack gap="lg">
      <div>
        <Group justify="space-between" wrap="nowrap" gap="sm" mih={36}>
          <Title order={1}>{title}</Title>
          {action !== undefined && <div className={styles.action}>{action}</div>}
        </Group>
        {about !== undefined && (
          <Text component="div" size="sm" c="dimmed" mt={4} maw={620}>
            {about}
          </Text>
        )}
      </div>
      {children}
    </Stack>
  )
}
