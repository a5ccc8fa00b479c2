import { Button, Group, Paper, Progress, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { api } from '../../api/api.ts'
import { type SetupStep, settingsQuery, setupQuery } from '../../api/queries.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { AdminsOnly } from '../../frame/admins-only.tsx'
import { AddRepository } from '../add/add-repository.tsx'
import { EmbeddingForm } from '../settings/embedding-form.tsx'
import { GitForm } from '../settings/git-form.tsx'
import { LlmForm } from '../settings/llm-form.tsx'
import { setupCards } from './setup-cards.ts'
import styles from './setup-page.module.css'

/** The first setup: one card at a time, each of which can be skipped. */
export function SetupPage() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  useEffect(() => {
    document.title = 'Set up · Carrel'
  }, [])
  return <main className={styles.page}>{session?.user.role === 'admin' ? <Wizard /> : <AdminsOnly title="Setup" />}</main>
}

function Wizard() {
  const { step } = useSearch({ from: '/signed-in/setup' })
  const navigate = useNavigate({ from: '/setup' })
  const queryClient = useQueryClient()
  const setup = useQuery(setupQuery)
  const steps = setup.data?.steps.filter(({ name }) => name in setupCards) ?? []
  const open = steps.find(({ done, skipped }) => !done && !skipped)?.name
  const shown = steps.find(({ name }) => name === step)?.name ?? open
  const at = steps.findIndex(({ name }) => name === shown)
  // A step that was saved stays until the admin continues.
  useEffect(() => {
    if (step === undefined && open !== undefined) void navigate({ to: '/setup', search: { step: open }, replace: true })
  }, [step, open, navigate])
  const goOn = async () => {
    await queryClient.invalidateQueries({ queryKey: ['setup'] })
    const next = steps[at + 1]?.name
    if (next) await navigate({ to: '/setup', search: { step: next } })
    else await navigate({ to: '/' })
  }
  const skip = useMutation({
    mutationFn: (name: SetupStep) => answerOf(api.setup[':step'].skip.$post({ param: { step: name } })),
    onSuccess: goOn,
  })
  if (setup.isLoadingError) return <ErrorState error={setup.error} retry={() => void setup.refetch()} />
  if (!setup.data) return <Skeleton height={360} />
  if (shown === undefined)
    return (
      <Stack gap="md" className={styles.wizard}>
        <Title order={1}>Carrel is set up</Title>
        <Text>Your agents can search its libraries. All of this can be changed in the settings.</Text>
        <Group>
          <LinkButton to="/libraries">Show libraries</LinkButton>
          <LinkButton to="/connect" variant="default">
            Connect an agent
          </LinkButton>
        </Group>
      </Stack>
    )
  const card = setupCards[shown as keyof typeof setupCards]
  const isDone = steps[at]?.done === true
  return (
    <Stack gap="lg" className={styles.wizard}>
      <div>
        <Text size="sm" c="dimmed">
          Set up Carrel · step {at + 1} of {steps.length}
        </Text>
        <Progress value={(100 * (at + 1)) / steps.length} size="xs" mt={6} aria-label="Steps" />
      </div>
      <Paper withBorder p="xl" className={styles.card}>
        <Stack gap="lg">
          <div>
            <Title order={1}>{card.title}</Title>
            <Text size="sm" c="dimmed" mt={4}>
              {card.text}
            </Text>
          </div>
          <SetupCard step={shown} />
        </Stack>
      </Paper>
      <Group justify="space-between">
        <Button
          variant="subtle"
          color="gray"
          disabled={at === 0}
          onClick={() => void navigate({ to: '/setup', search: { step: steps[at - 1]?.name } })}
        >
          Back
        </Button>
        <Group gap="sm">
          {skip.error && (
            <Text size="sm" c="var(--bad)" role="alert">
              {skip.error.message}
            </Text>
          )}
          {isDone ? (
            <Button onClick={() => void goOn()}>Continue</Button>
          ) : (
            <Button variant="default" loading={skip.isPending} onClick={() => skip.mutate(shown)}>
              {card.skip}
            </Button>
          )}
        </Group>
      </Group>
    </Stack>
  )
}

const forms = { llm: LlmForm, embedding: EmbeddingForm, git: GitForm }

/** The form of a step: the same as in the settings. */
function SetupCard({ step }: { step: SetupStep }) {
  const queryClient = useQueryClient()
  const settings = useQuery(settingsQuery)
  if (step === 'library') return <AddRepository />
  if (step === 'credentials') return null
  if (settings.isLoadingError) return <ErrorState error={settings.error} retry={() => void settings.refetch()} />
  if (!settings.data) return <Skeleton height={240} />
  const Form = forms[step]
  return <Form settings={settings.data} onSaved={() => void queryClient.invalidateQueries({ queryKey: ['setup'] })} />
}
