import { Skeleton } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { api } from '../../api/api.ts'
import { useTeam } from '../../api/use-team.ts'
import { LicenseTable } from './license-table.tsx'
import { licensePolicy } from './policy-calls.ts'
import { PolicyEditor } from './policy-editor.tsx'

const licensesQuery = (team: string) =>
  queryOptions({
    queryKey: ['teamspaces', team, 'licenses'],
    queryFn: () => answerOf(api.teamspaces[':team'].licenses.$get({ param: { team } })),
  })

/** The licenses that were issued to the teamspace, or the policy of one of them. */
export function LicensesPage() {
  const { license } = useSearch({ from: '/signed-in/frame/teamspaces/$team/settings/licenses' })
  return license === '' ? <LicenseList /> : <LicensePolicy id={license} />
}

function LicenseList() {
  const { id } = useTeam()
  const { data, isLoadingError, error, refetch } = useQuery(licensesQuery(id))
  return (
    <SettingsSection
      title="Licenses"
      about="Licenses of on-premise installs that were issued to this teamspace, and which libraries they may reach."
    >
      {isLoadingError ? (
        <ErrorState error={error} what="The licenses cannot be loaded" retry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={160} />
      ) : data.licenses.length === 0 ? (
        <EmptyState title="No licenses">
          An on-premise install imports libraries with an offline license, and searches here with an online one. The operator of
          this service issues them to your teamspace.
        </EmptyState>
      ) : (
        <LicenseTable licenses={data.licenses} />
      )}
    </SettingsSection>
  )
}

function LicensePolicy({ id }: { id: string }) {
  const { id: team } = useTeam()
  return (
    <SettingsSection
      title="Policy of a license"
      about={
        <>
          Which libraries of this service an install with the license <code>{id}</code> can reach.
        </>
      }
      action={
        <LinkButton
          to="/teamspaces/$team/settings/licenses"
          params={{ team }}
          variant="default"
          leftSection={<ArrowLeft size={16} aria-hidden />}
        >
          All licenses
        </LinkButton>
      }
    >
      <PolicyEditor policy={licensePolicy(team, id)} reachWords="can be reached with this license." />
    </SettingsSection>
  )
}
