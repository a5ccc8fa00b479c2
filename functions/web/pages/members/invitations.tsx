import { Table, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SkeletonRows } from '../../../../shared/web/skeleton-rows.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { type Invitation, invitesQuery } from '../../api/teamspace-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { isAtLeast } from '../../frame/pages-of.ts'
import { usePeople } from '../../teamspace/people.ts'
import { roleTexts } from '../../teamspace/roles.ts'
import styles from './members-page.module.css'

/** The invitations that nobody has accepted yet. */
export function Invitations() {
  const { id, role } = useTeam()
  const invites = useQuery(invitesQuery(id))
  return (
    <section aria-label="Invitations">
      <Title order={2} mb="xs">
        Invitations
      </Title>
      {invites.isLoadingError ? (
        <ErrorState error={invites.error} what="The invitations cannot be loaded" retry={() => void invites.refetch()} />
      ) : invites.data?.length === 0 ? (
        <Text size="sm" c="dimmed">
          No invitation is open.{' '}
          {isAtLeast(role, 'admin') ? 'People join by the link of an invitation.' : 'Admins invite people.'}
        </Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>E-mail address</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th className={styles.wide}>Invited by</Table.Th>
              <Table.Th className={styles.wide}>Expires</Table.Th>
              {isAtLeast(role, 'admin') && <ActionsHead />}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {invites.data?.map((invitation) => <Row key={invitation.id} invitation={invitation} />) ?? (
              <SkeletonRows rows={2} columns={5} />
            )}
          </Table.Tbody>
        </Table>
      )}
    </section>
  )
}

function Row({ invitation: { id, email, role, invitedBy, expiresAt } }: { invitation: Invitation }) {
  const team = useTeam()
  const nameOf = usePeople(team.id)
  const queryClient = useQueryClient()
  const withdraw = async () => {
    await answerOf(api.teamspaces[':team'].invites[':id'].$delete({ param: { team: team.id, id } }))
    await queryClient.invalidateQueries({ queryKey: invitesQuery(team.id).queryKey })
  }
  return (
    <Table.Tr>
      <Table.Td className={styles.name}>{email}</Table.Td>
      <Table.Td>{roleTexts[role].label}</Table.Td>
      <Table.Td className={styles.wide}>
        <bdi>{nameOf(invitedBy)}</bdi>
      </Table.Td>
      <Table.Td className={styles.wide}>
        <TimeAgo time={expiresAt} />
      </Table.Td>
      {isAtLeast(team.role, 'admin') && (
        <Table.Td align="right">
          <ConfirmButton
            size="xs"
            question={`Withdraw the invitation of ${email}?`}
            consequence="Its link stops working. You can invite the same person again."
            done="Invitation withdrawn."
            onConfirm={withdraw}
          >
            Withdraw
          </ConfirmButton>
        </Table.Td>
      )}
    </Table.Tr>
  )
}
