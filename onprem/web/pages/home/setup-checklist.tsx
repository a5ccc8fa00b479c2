import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Circle, CircleCheck } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { api } from '../../api/api.ts'
import { setupQuery } from '../../api/queries.ts'
import { sessionQuery } from '../../api/session-query.ts'
import styles from './setup-checklist.module.css'

const labels = {
  credentials: 'Your own password',
  llm: 'LLM Provider',
  embedding: 'Embedding Provider',
  git: 'Git hosts and tokens',
  library: 'First library',
} as const

/** The remaining steps of the first setup, for admins, until all of it is done or dismissed. */
export function SetupChecklist() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const queryClient = useQueryClient()
  const { data: setup } = useQuery({ ...setupQuery, enabled: session?.user.role === 'admin' })
  const left = setup?.steps.filter(({ done, skipped }) => !done && !skipped) ?? []
  const dismiss = useMutation({
    mutationFn: () => Promise.all(left.map(({ name }) => answerOf(api.setup[':step'].skip.$post({ param: { step: name } })))),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['setup'] }),
  })
  if (!setup || setup.complete) return null
  return (
    <section className={styles.checklist} aria-label="Setup">
      <Group justify="space-between" gap="sm">
        <Text fw={600}>Finish the setup</Text>
        <Button variant="subtle" color="gray" size="xs" loading={dismiss.isPending} onClick={() => dismiss.mutate()}>
          Dismiss
        </Button>
      </Group>
      <ul className={styles.steps}>
        {setup.steps.map(({ name, done, skipped }) => (
          <li key={name}>
            {done ? <CircleCheck size={16} className={styles.done} aria-label="Done" /> : <Circle size={16} aria-label="Open" />}
            {done || name === 'credentials' ? (
              <span>{labels[name]}</span>
            ) : (
              <TextLink to="/setup" search={{ step: name }}>
                {labels[name]}
                {skipped && ' (skipped)'}
              </TextLink>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
