import { Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useEffect } from 'react'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { ServerNotice } from '../../../../shared/web/frame/server-notice.tsx'
import { api } from '../../api/api.ts'
import { settingsQuery, setupQuery } from '../../api/queries.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { AdminsOnly } from '../../frame/admins-only.tsx'
import { useLiveEvents } from '../../live/live-events.ts'
import { EmbeddingForm } from '../settings/embedding-form.tsx'
import { GitForm } from '../settings/git-form.tsx'
import { LlmForm } from '../settings/llm-form.tsx'
import { AskStep } from './ask-step.tsx'
import { ConnectStep } from './connect-step.tsx'
import { LibraryStep } from './library-step.tsx'
import { type CardName, setupCards } from './setup-cards.ts'
import { SetupEnd } from './setup-end.tsx'
import styles from './setup-page.module.css'

/** The first setup: one card at a time, each of which can be left for later. */
export function SetupPage() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  return (
    <>
      <ServerNotice ping={ping} />
      <main className={styles.page}>{session?.user.role === 'admin' ? <Wizard /> : <AdminsOnly title="Setup" />}</main>
    </>
  )
}

const ping = () => api.health.$get()

function Wizard() {
  useLiveEvents()
  const { step } = useSearch({ from: '/signed-in/setup' })
  const navigate = useNavigate({ from: '/setup' })
  const setup = useQuery(setupQuery)
  const steps = setup.data?.steps.filter(({ name }) => name in setupCards) ?? []
  const open = setup.data && (steps.find(({ done, optional }) => !done && !optional)?.name ?? 'end')
  // A step that is done stays until the admin continues.
  useEffect(() => {
    if (step === undefined && open !== undefined) void navigate({ to: '/setup', search: { step: open }, replace: true })
  }, [step, open, navigate])
  const name = step !== undefined && step in setupCards ? (step as CardName) : undefined
  const title = name === undefined ? 'Carrel is set up' : setupCards[name].title
  useEffect(() => {
    document.title = `${title} · Setup · Carrel`
  }, [title])
  if (setup.isLoadingError) return <ErrorState error={setup.error} retry={() => void setup.refetch()} />
  if (!setup.data || step === undefined) return <Skeleton height={360} className={styles.wizard} />
  if (name === undefined) return <SetupEnd steps={setup.data.steps} />
  const { done = false, optional = false } = steps.find((each) => each.name === name) ?? {}
  const needed = steps.filter((each) => !each.optional)
  const at = needed.findIndex((each) => each.name === name)
  const go = (to: (typeof needed)[number] | undefined) => void navigate({ to: '/setup', search: { step: to?.name ?? 'end' } })
  return (
    <Stack gap="lg" className={styles.wizard}>
      {optional ? (
        <Text size="sm" c="dimmed">
          Set up Carrel · optional
        </Text>
      ) : (
        <div>
          <Text size="sm" c="dimmed">
            Set up Carrel · step {at + 1} of {needed.length}
          </Text>
          <ol className={styles.steps}>
            {needed.map((step, index) => (
              <li key={step.name} aria-current={index === at ? 'step' : undefined} data-done={step.done || undefined}>
                <span className={styles.number} aria-hidden>
                  {step.done && index !== at ? <Check size={14} /> : index + 1}
                </span>
                {setupCards[step.name as CardName].step}
              </li>
            ))}
          </ol>
        </div>
      )}
      <Paper withBorder className={styles.card}>
        <Stack gap="lg">
          <div>
            <Title order={1}>{setupCards[name].title}</Title>
            <Text size="sm" c="dimmed" mt={4}>
              {setupCards[name].text}
            </Text>
          </div>
          <Card name={name} />
        </Stack>
      </Paper>
      <Group justify="space-between">
        {at === 0 ? (
          <span />
        ) : (
          <Button variant="subtle" color="gray" onClick={() => go(optional ? undefined : needed[at - 1])}>
            Back
          </Button>
        )}
        {done ? (
          <Button onClick={() => go(optional ? undefined : needed[at + 1])}>Continue</Button>
        ) : (
          <Button variant="subtle" color="gray" onClick={() => go(optional ? undefined : needed[at + 1])}>
            Later
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Card({ name }: { name: CardName }) {
  if (name === 'library') return <LibraryStep />
  if (name === 'ask') return <AskStep />
  if (name === 'connect') return <ConnectStep />
  return <SettingsStep name={name} />
}

const forms = { llm: LlmForm, embedding: EmbeddingForm, git: GitForm }

/** The form of a step: the same as in the settings. */
function SettingsStep({ name }: { name: keyof typeof forms }) {
  const queryClient = useQueryClient()
  const settings = useQuery(settingsQuery)
  if (settings.isLoadingError) return <ErrorState error={settings.error} retry={() => void settings.refetch()} />
  if (!settings.data) return <Skeleton height={240} />
  const Form = forms[name]
  return <Form settings={settings.data} onSaved={() => void queryClient.invalidateQueries({ queryKey: ['setup'] })} />
}
