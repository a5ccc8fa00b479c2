import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { settingsQuery } from '../../api/queries.ts'
import { IssuersForm } from './issuers-form.tsx'

export function SingleSignOnPage() {
  const settings = useQuery(settingsQuery)
  return (
    <SettingsSection
      title="Single sign-on"
      about="People sign in at these issuers of OpenID Connect, and get a user at the first sign-in."
    >
      {settings.isLoadingError ? (
        <ErrorState error={settings.error} what="The settings cannot be loaded" retry={() => void settings.refetch()} />
      ) : settings.data ? (
        <IssuersForm settings={settings.data} />
      ) : (
        <Skeleton height={280} />
      )}
    </SettingsSection>
  )
}
