import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { settingsQuery } from '../../api/settings-query.ts'
import type { SetupStep } from '../../api/setup-query.ts'
import { AddRepository } from '../add/add-repository.tsx'
import { EmbeddingForm } from '../settings/embedding-form.tsx'
import { GitForm } from '../settings/git-form.tsx'
import { LlmForm } from '../settings/llm-form.tsx'

const forms = { llm: LlmForm, embedding: EmbeddingForm, git: GitForm }

/** The form of a step: the same as in the settings. */
export function SetupCard({ step }: { step: SetupStep }) {
  const queryClient = useQueryClient()
  const settings = useQuery(settingsQuery)
  if (step === 'library') return <AddRepository />
  if (step === 'credentials') return null
  if (settings.isLoadingError) return <ErrorState error={settings.error} retry={() => void settings.refetch()} />
  if (!settings.data) return <Skeleton height={240} />
  const Form = forms[step]
  return <Form settings={settings.data} onSaved={() => void queryClient.invalidateQueries({ queryKey: ['setup'] })} />
}
