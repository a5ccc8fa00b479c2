import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { settingsQuery } from '../../api/queries.ts'
import { LlmForm } from './llm-form.tsx'

export function AiProviderPage() {
  const settings = useQuery(settingsQuery)
  return (
    <SettingsSection
      title="LLM Provider"
      about="The language model reranks answers and can write documentation. Without one, search works by words and vectors."
    >
      {settings.isLoadingError ? (
        <ErrorState error={settings.error} what="The settings cannot be loaded" retry={() => void settings.refetch()} />
      ) : settings.data ? (
        <LlmForm settings={settings.data} />
      ) : (
        <Skeleton height={280} />
      )}
    </SettingsSection>
  )
}
