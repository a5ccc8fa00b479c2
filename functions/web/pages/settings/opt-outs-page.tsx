import { Skeleton, Table } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { libraryPath } from '../../api/library-path.ts'
import { optOutsQuery } from '../../api/opt-outs-query.ts'
import { useTeam } from '../../api/use-team.ts'
import styles from './opt-outs-page.module.css'

const about =
  'Libraries whose indexing your teamspace has stopped: their content is deleted, and nobody can add them until you allow it again.'

export function OptOutsPage() {
  const { id: team, role } = useTeam()
  const queryClient = useQueryClient()
  const optOuts = useQuery(optOutsQuery(team))
  const allow = async (library: string) => {
    const param = { team, ...libraryPath(library) }
    await answerOf(api.teamspaces[':team'].libraries[':owner'][':repo']['opt-out'].$delete({ param }))
    await queryClient.invalidateQueries({ queryKey: optOutsQuery(team).queryKey })
  }
  return (
    <SettingsSection title="Opt-outs" about={about}>
      {optOuts.isLoadingError ? (
        <ErrorState error={optOuts.error} what="The opt-outs cannot be loaded" retry={() => void optOuts.refetch()} />
      ) : !optOuts.data ? (
        <Skeleton height={120} />
      ) : optOuts.data.length === 0 ? (
        <EmptyState
          title="No library is opted out"
          action={
            <LinkButton to="/teamspaces/$team/libraries" params={{ team }} variant="default">
              Show libraries
            </LinkButton>
          }
        >
          Claim a public library under Ownership. Then you can stop its indexing there.
        </EmptyState>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Library</Table.Th>
              <Table.Th>Since</Table.Th>
              {role !== 'developer' && <ActionsHead />}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {optOuts.data.map(({ library, at }) => (
              <Table.Tr key={library}>
                <Table.Td className={styles.id}>
                  <bdi>{library}</bdi>
                </Table.Td>
                <Table.Td>
                  <TimeAgo time={at} />
                </Table.Td>
                {role !== 'developer' && (
                  <Table.Td ta="right">
                    <ConfirmButton
                      size="xs"
                      question={`Allow ${library} again?`}
                      consequence="Everyone can add the library again. It is indexed when somebody does."
                      done={`${library} can be indexed again.`}
                      onConfirm={() => allow(library)}
                    >
                      Allow again
                    </ConfirmButton>
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </SettingsSection>
  )
}
