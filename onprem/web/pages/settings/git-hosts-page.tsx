import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { settingsQuery } from '../../api/queries.ts'
import { GitForm } from './git-form.tsx'

export function GitHostsPage() {
  const settings = useQuery(settingsQuery)
  return (
    <SettingsSection title="Git hosts" about="Repositories are read from these hosts only. A token is needed for private ones.">
      {settings.isLoadingError ? (
        <ErrorState error={settings.error} what="The settings cannot be loaded" retry={() => void settings.refetch()} />
      ) : settings.data ? (
        <GitForm settings={settings.data} />
      ) : (
        <Skeleton height={280} />
      )}
    </SettingsSection>
  )
}
