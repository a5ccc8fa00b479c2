import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type SectionProps = { title: string; text?: string; action?: ReactNode; children: ReactNode }

export const Section = ({ title, text, action, children }: SectionProps) => (
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
