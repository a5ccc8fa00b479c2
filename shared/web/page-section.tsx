import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type PageSectionProps = { title: string; text?: ReactNode; action?: ReactNode; children: ReactNode }

/** A titled section of a page. */
export const PageSection = ({ title, text, action, children }: PageSectionProps) => (
  <section>
    <Group justify="space-between" align="flex-end" mb="sm" gap="sm">
      <div>
        <Title order={2}>{title}</Title>
        {text !== undefined && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
      {action}
    </Group>
    {children}
  </section>
)
