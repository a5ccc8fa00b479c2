import { Group, Stack, Text, Title } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import { LinkButton, TextLink } from '../../../../shared/web/link-button.tsx'
import type { SetupSteps } from '../../api/queries.ts'
import { setupCards } from './setup-cards.ts'
import styles from './setup-page.module.css'

/** What is still open, and what can be added later. */
export function SetupEnd({ steps }: { steps: SetupSteps }) {
  const open = steps.filter(({ name, done, optional }) => name in setupCards && !done && !optional)
  const optional = steps.filter((step) => step.optional)
  return (
    <Stack gap="lg" className={styles.wizard}>
      <div>
        <Title order={1}>{open.length === 0 ? 'Carrel is set up' : 'You can continue at any time'}</Title>
        <Text size="sm" c="dimmed" mt={4}>
          {open.length === 0
            ? 'Your agents can search its libraries.'
            : 'The start page lists the steps that are left, until they are done or dismissed.'}
        </Text>
      </div>
      <Group>
        <LinkButton to="/">Open Carrel</LinkButton>
      </Group>
      <section aria-labelledby="optional-steps">
        <Text fw={600} size="sm" id="optional-steps">
          Optional
        </Text>
        <ul className={styles.optional}>
          {optional.map(({ name, done }) => (
            <li key={name}>
              <TextLink to="/setup" search={{ step: name }}>
                {setupCards[name as keyof typeof setupCards].title}
              </TextLink>{' '}
              {done && <CircleCheck size={15} aria-label="Done" className={styles.done} />}
            </li>
          ))}
        </ul>
      </section>
    </Stack>
  )
}
