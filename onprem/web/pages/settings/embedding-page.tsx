import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { settingsQuery } from '../../api/queries.ts'
import { EmbeddingForm } from './embedding-form.tsx'
import { LocalModels } from './local-models.tsx'
import { ReindexOffer } from './reindex-offer.tsx'

export function EmbeddingPage() {
  const settings = useQuery(settingsQuery)
  return (
    <SettingsSection
      title="Embedding Provider"
      about="A model turns snippets and questions into vectors, so that a question finds an answer in other words."
    >
      {settings.isLoadingError ? (
        <ErrorState error={settings.error} what="The settings cannot be loaded" retry={() => void settings.refetch()} />
      ) : settings.data ? (
        <Stack gap="xl">
          <EmbeddingForm settings={settings.data} />
          <ReindexOffer />
          <LocalModels settings={settings.data} />
        </Stack>
      ) : (
        <Skeleton height={320} />
      )}
    </SettingsSection>
  )
}
