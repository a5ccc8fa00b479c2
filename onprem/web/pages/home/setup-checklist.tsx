import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Circle, CircleCheck } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { api } from '../../api/api.ts'
import { type SetupStep, setupQuery } from '../../api/queries.ts'
import { sessionQuery } from '../../api/session-query.ts'
import styles from './setup-checklist.module.css'

const labels: Partial<Record<SetupStep, string>> = {
  credentials: 'Choose your own password',
  library: 'Add your first library',
  ask: 'Ask it a question',
  connect: 'Connect an agent',
}

/** The steps of the first setup, for admins, until all of them are done or dismissed. Optional ones are not among them. */
export function SetupChecklist() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const queryClient = useQueryClient()
  const { data: setup } = useQuery({ ...setupQuery, enabled: session?.user.role === 'admin' })
  const steps = setup?.steps.filter(({ optional }) => !optional) ?? []
  const left = steps.filter(({ done, skipped }) => !done && !skipped)
  const dismiss = useMutation({
    meta: { done: 'Checklist dismissed.' },
    mutationFn: () => Promise.all(left.map(({ name }) => answerOf(api.setup[':step'].skip.$post({ param: { step: name } })))),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['setup'] }),
  })
  if (left.length === 0) return null
  return (
    <section className={styles.checklist} aria-label="Setup">
      <Group justify="space-between" gap="sm">
        <Text fw={600}>
          Finish the setup{' '}
          <Text span c="dimmed" fw={400} size="sm">
            {steps.length - left.length} of {steps.length} done
          </Text>
        </Text>
        <Button variant="subtle" color="gray" size="xs" loading={dismiss.isPending} onClick={() => dismiss.mutate()}>
          Dismiss
        </Button>
      </Group>
      <ul className={styles.steps}>
        {steps.map(({ name, done }) => (
          <li key={name}>
            {done ? <CircleCheck size={16} className={styles.done} aria-label="Done" /> : <Circle size={16} aria-label="Open" />}
            {done || name === 'credentials' ? (
              <span>{labels[name]}</span>
            ) : (
              <TextLink to="/setup" search={{ step: name }}>
                {labels[name]}
              </TextLink>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
