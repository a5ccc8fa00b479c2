import { Stack, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { Page } from '../../../../shared/web/page.tsx'
import { SkeletonRows } from '../../../../shared/web/skeleton-rows.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { type Member, membersQuery } from '../../api/teamspace-queries.ts'
import { useSession } from '../../api/use-session.ts'
import { useTeam } from '../../api/use-team.ts'
import { isAtLeast } from '../../frame/pages-of.ts'
import { roleTexts } from '../../teamspace/roles.ts'
import { Invitations } from './invitations.tsx'
import { InviteButton } from './invite-button.tsx'
import { MemberActions } from './member-actions.tsx'
import styles from './members-page.module.css'

/** The members of a teamspace and its invitations. */
export function MembersPage() {
  const { id, name, role } = useTeam()
  const members = useQuery(membersQuery(id))
  return (
    <Page
      title="Members"
      facts={members.data && `${countOf(members.data.length, 'person', 'people')} in ${name}`}
      action={isAtLeast(role, 'admin') && <InviteButton />}
    >
      {members.isLoadingError ? (
        <ErrorState error={members.error} what="The members cannot be loaded" retry={() => void members.refetch()} />
      ) : (
        <Stack gap="xl">
          <MemberTable members={members.data} />
          <Invitations />
        </Stack>
      )}
    </Page>
  )
}

function MemberTable({ members }: { members: Member[] | undefined }) {
  const { role } = useTeam()
  const { user } = useSession()
  const owners = members?.filter((member) => member.role === 'owner').length ?? 0
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Role</Table.Th>
          <Table.Th className={styles.wide}>Since</Table.Th>
          {isAtLeast(role, 'admin') && <ActionsHead className={styles.actions} />}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {members ? (
          members.map((member) => (
            <MemberRow
              key={member.user}
              member={member}
              isSelf={member.user === user.id}
              isLastOwner={owners === 1 && member.role === 'owner'}
            />
          ))
        ) : (
          <SkeletonRows rows={3} columns={4} />
        )}
      </Table.Tbody>
    </Table>
  )
}

type MemberRowProps = { member: Member; isSelf: boolean; isLastOwner: boolean }

function MemberRow({ member, isSelf, isLastOwner }: MemberRowProps) {
  const { role } = useTeam()
  return (
    <Table.Tr>
      <Table.Td className={styles.name}>
        <bdi>{member.name || member.email}</bdi>
        {isSelf && <span className={styles.soft}> (you)</span>}
        {member.name !== '' && <div className={styles.address}>{member.email}</div>}
      </Table.Td>
      <Table.Td>{roleTexts[member.role].label}</Table.Td>
      <Table.Td className={styles.wide}>
        <TimeAgo time={member.addedAt} />
      </Table.Td>
      {isAtLeast(role, 'admin') && (
        <Table.Td className={styles.actions}>
          {(role === 'owner' || member.role !== 'owner') && (
            <MemberActions member={member} isSelf={isSelf} isLastOwner={isLastOwner} />
          )}
        </Table.Td>
      )}
    </Table.Tr>
  )
}
