import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import styles from './page.module.css'

type PageProps = {
  title: string
  /** What the tab says before the title. */
  subject?: string
  /** One line of facts below the title. */
  facts?: ReactNode
  /** The primary action, at the top right. */
  action?: ReactNode
  children: ReactNode
}

/** A page: its title, also that of the tab, its facts and its primary action above the content. */
export function Page({ title, subject = '', facts, action, children }: PageProps) {
  useEffect(() => {
    document.title = [subject, title, 'Carrel'].filter((part) => part !== '').join(' · ')
  }, [subject, title])
  return (
    <Stack gap="lg" className={styles.page}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className={styles.heading}>
          <Title order={1}>{title}</Title>
          {facts !== undefined && (
            <Text component="div" size="sm" c="dimmed">
              {facts}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {children}
    </Stack>
  )
}
