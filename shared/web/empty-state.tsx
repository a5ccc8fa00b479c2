import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './states.module.css'

/** An empty list: what belongs here, why it is useful, and one action. */
export const EmptyState = ({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) => (
  <Stack className={styles.empty} gap="xs" align="center">
    <Title order={2}>{title}</Title>
    <Text c="dimmed" maw={460} ta="center">
      {children}
    </Text>
    {action}
  </Stack>
)
