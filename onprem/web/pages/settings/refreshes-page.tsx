import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { settingsQuery } from '../../api/queries.ts'
import { ConfluenceForm } from './confluence-form.tsx'
import { DraftForm, type Field } from './draft-form.tsx'

const otherSources: readonly Field[] = [
  {
    name: 'sources.allowedHosts',
    label: 'Allowed hosts',
    description: 'Websites, API descriptions and Confluence are read from these hosts only; separated by commas',
    placeholder: 'docs.example.com, *.example.com',
  },
]

const refreshes: readonly Field[] = [
  {
    name: 'refresh.schedule',
    label: 'Refresh schedule',
    description: 'off, daily, weekly, or five fields of cron and a time zone; a library may have its own',
    placeholder: '30 2 * * 1-5 Europe/Berlin',
  },
  { name: 'refresh.parallel', label: 'Refreshes at the same time', description: 'Also of comparisons with repositories' },
  { name: 'refresh.staleDays', label: 'Days until a library is stale', description: 'Since the last comparison that succeeded' },
]

export function RefreshesPage() {
  const settings = useQuery(settingsQuery)
  return (
    <SettingsSection
      title="Websites and refreshes"
      about="Which websites may be read, and when libraries are compared with their sources."
    >
      {settings.isLoadingError ? (
        <ErrorState error={settings.error} what="The settings cannot be loaded" retry={() => void settings.refetch()} />
      ) : settings.data ? (
        <Stack gap="xl">
          <DraftForm title="Other documentation" fields={otherSources} settings={settings.data} />
          <ConfluenceForm settings={settings.data} />
          <DraftForm title="Refreshes" fields={refreshes} settings={settings.data} />
        </Stack>
      ) : (
        <Skeleton height={280} />
      )}
    </SettingsSection>
  )
}
