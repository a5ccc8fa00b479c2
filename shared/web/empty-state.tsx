import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { EmptyPicture, type PictureName } from './empty-picture.tsx'
import styles from './states.module.css'

type EmptyStateProps = { picture?: PictureName; title: string; children: ReactNode; action?: ReactNode }

/** An empty list: what belongs here, why it is useful, and one action. */
export const EmptyState = ({ picture = 'list', title, children, action }: EmptyStateProps) => (
  <Stack className={styles.empty} gap="xs" align="center">
    <EmptyPicture name={picture} />
    <Title order={2} ta="center">
      {title}
    </Title>
    <Text c="dimmed" maw={460} ta="center">
      {children}
    </Text>
    {action && <div className={styles.action}>{action}</div>}
  </Stack>
)
