import { Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { useTeam } from '../../api/use-team.ts'
import { LibraryRules } from './library-rules.tsx'
import { rulesQuery, saveRules } from './rules-calls.ts'
import { RulesForm } from './rules-form.tsx'

/** The sentences that stand before the answers to the keys of the teamspace. */
export function RulesPage() {
  const { id: team, role } = useTeam()
  const queryClient = useQueryClient()
  const { data, isLoadingError, error, refetch } = useQuery(rulesQuery(team))
  const isReadOnly = role === 'developer'
  const save = async (library: string | undefined, rules: string[]) => {
    if (data) queryClient.setQueryData(rulesQuery(team).queryKey, await saveRules(team, data.etag, library, rules))
  }
  return (
    <SettingsSection
      title="Rules"
      about="Sentences that agents read before the answers to the keys of this teamspace: conventions, versions in use, what to avoid."
    >
      {isReadOnly && <Text size="sm">Only admins and owners of the teamspace can change rules.</Text>}
      {isLoadingError ? (
        <ErrorState error={error} what="The rules cannot be loaded" retry={() => void refetch()} />
      ) : data ? (
        <>
          <RulesForm
            key={data.global.join('\n')}
            label="For all libraries"
            rules={data.global}
            isReadOnly={isReadOnly}
            save={(rules) => save(undefined, rules)}
          />
          <LibraryRules rules={data.libraries} isReadOnly={isReadOnly} save={save} />
        </>
      ) : (
        <Skeleton height={320} />
      )}
    </SettingsSection>
  )
}
