import { Badge, Button, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { SkeletonRows } from '../../../../shared/web/skeleton-rows.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { type ListedUser, settingsQuery, usersQuery } from '../../api/queries.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { AddUser } from './add-user.tsx'
import { DraftForm, type Field } from './draft-form.tsx'
import { UserActions } from './user-actions.tsx'
import styles from './users-page.module.css'

export function UsersPage() {
  const users = useQuery(usersQuery)
  const { data: session } = useSuspenseQuery(sessionQuery)
  const settings = useQuery(settingsQuery)
  const queryClient = useQueryClient()
  // The admin who requires a second factor may have none.
  const refreshSession = () => queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  const [adds, setAdds] = useState(false)
  const admins = users.data?.filter(({ role, disabled }) => role === 'admin' && !disabled).length ?? 0
  return (
    <SettingsSection
      title="Users"
      about="Members add and refresh libraries and create their own keys. Admins can do everything."
      action={
        <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => setAdds(true)}>
          Add user
        </Button>
      }
    >
      {users.isLoadingError ? (
        <ErrorState error={users.error} what="The users cannot be loaded" retry={() => void users.refetch()} />
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th className={styles.wide}>Last sign-in</Table.Th>
              <Table.Th className={styles.wide}>Created</Table.Th>
              <ActionsHead className={styles.actions} />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {users.data ? (
              users.data.map((user) => (
                <UserRow
                  key={user.id}
                  user={user}
                  isSelf={user.username === session?.user.username}
                  isLastAdmin={admins === 1 && user.role === 'admin' && !user.disabled}
                />
              ))
            ) : (
              <SkeletonRows rows={3} columns={5} />
            )}
          </Table.Tbody>
        </Table>
      )}
      {settings.data && (
        <DraftForm
          title="Sign-in and sessions"
          fields={sessionFields}
          settings={settings.data}
          onSaved={() => void refreshSession()}
        />
      )}
      <AddUser opened={adds} close={() => setAdds(false)} />
    </SettingsSection>
  )
}

const sessionFields: readonly Field[] = [
  {
    name: 'accounts.requireSecondFactor',
    label: 'Require a second factor',
    description:
      'Users with a password who have none can only add one, from their next request on. Keys keep working, and people who sign in at an issuer are not asked.',
    isSwitch: true,
  },
  {
    name: 'sessions.absoluteHours',
    label: 'Longest time',
    description: 'Hours after the sign-in at which a session ends, however it is used. 0 is no limit',
  },
  {
    name: 'sessions.idleHours',
    label: 'Longest time without use',
    description: 'Hours without a request after which a session ends, up to 168',
  },
]

type UserRowProps = { user: ListedUser; isSelf: boolean; isLastAdmin: boolean }

const UserRow = ({ user, isSelf, isLastAdmin }: UserRowProps) => (
  <Table.Tr>
    <Table.Td className={styles.name}>
      <span className={user.disabled ? styles.disabled : undefined}>{user.username}</span>
      {isSelf && <span className={styles.self}> (you)</span>}
      {user.issuer && (
        <Text size="xs" c="dimmed">
          Signs in at {URL.parse(user.issuer)?.host ?? user.issuer}
        </Text>
      )}
      {user.disabled && (
        <Badge variant="default" size="sm" tt="none" fw={500} ml={8}>
          Disabled
        </Badge>
      )}
      {user.secondFactor && (
        <Badge variant="default" size="sm" tt="none" fw={500} ml={8}>
          Second factor
        </Badge>
      )}
      {user.mustChangePassword && !user.disabled && (
        <Badge variant="default" size="sm" tt="none" fw={500} ml={8}>
          Must change password
        </Badge>
      )}
      <div className={styles.narrow}>
        Last sign-in: <SignIn time={user.lastSignInAt} />
      </div>
    </Table.Td>
    <Table.Td>{user.role === 'admin' ? 'Admin' : 'Member'}</Table.Td>
    <Table.Td className={styles.wide}>
      <SignIn time={user.lastSignInAt} />
    </Table.Td>
    <Table.Td className={styles.wide}>
      <TimeAgo time={user.createdAt} />
    </Table.Td>
    <Table.Td className={styles.actions}>
      <UserActions user={user} isSelf={isSelf} isLastAdmin={isLastAdmin} />
    </Table.Td>
  </Table.Tr>
)

const SignIn = ({ time }: { time: string | null }) => (time === null ? 'never' : <TimeAgo time={time} />)
