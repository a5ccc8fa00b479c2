import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

type SettingsSectionProps = {
  title: string
  /** What the page is for, in one or two sentences. */
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
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
        <div>
          <Title order={1}>{title}</Title>
          {about !== undefined && (
            <Text component="div" size="sm" c="dimmed" mt={4} maw={620}>
              {about}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {children}
    </Stack>
  )
}
