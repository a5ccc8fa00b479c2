import { ActionIcon, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, GitBranch, KeyRound, Shield, ShieldOff, ShieldX, Trash2, UserCheck, UserX } from 'lucide-react'
import { useState } from 'react'
import { answerOf, ifMatch } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmDialog } from '../../../../shared/web/confirm-dialog.tsx'
import { api } from '../../api/api.ts'
import { type ListedUser, usersQuery } from '../../api/queries.ts'
import { sessionKey } from '../../api/session-query.ts'
import { HostAccounts } from './host-accounts.tsx'
import { ResetPassword } from './reset-password.tsx'
import styles from './user-actions.module.css'

type UserActionsProps = { user: ListedUser; isSelf: boolean; isLastAdmin: boolean }
type Change = { role?: ListedUser['role']; disabled?: boolean }

/** The actions of an admin on a user. An action that the server would reject is disabled, with the reason. */
export function UserActions({ user, isSelf, isLastAdmin }: UserActionsProps) {
  const queryClient = useQueryClient()
  const [dialog, setDialog] = useState<'role' | 'password' | 'accounts' | 'factor' | 'disable' | 'delete'>()
  const close = () => setDialog(undefined)
  const onSuccess = async () => {
    if (isSelf) await queryClient.invalidateQueries({ queryKey: sessionKey })
    await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey })
  }
  // Another admin may have changed the user.
  const onError = () => queryClient.invalidateQueries({ queryKey: usersQuery.queryKey })
  const param = { id: user.id }
  const based = ifMatch(user.etag)
  const change = useMutation({
    meta: { done: 'User changed.' },
    mutationFn: (json: Change) => answerOf(api.users[':id'].$patch({ param, json }, based)),
    onSuccess,
    onError,
  })
  const remove = useMutation({
    meta: { done: 'User deleted.' },
    mutationFn: () => answerOf(api.users[':id'].$delete({ param }, based)),
    onSuccess,
    onError,
  })
  const removeFactor = useMutation({
    meta: { done: 'Second factor removed.' },
    mutationFn: () => answerOf(api.users[':id']['second-factor'].$delete({ param })),
    onSuccess,
    onError,
  })
  // Personal Settings changes one's own, after a proof.
  const provesItself = isSelf && user.secondFactor
  const isAdmin = user.role === 'admin'
  const keeps = isLastAdmin ? 'This is the last admin.' : isSelf ? 'Another admin must do this.' : undefined
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${user.username}`}>
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={isAdmin ? <ShieldOff size={16} aria-hidden /> : <Shield size={16} aria-hidden />}
            disabled={isLastAdmin}
            onClick={() => setDialog('role')}
          >
            {isAdmin ? 'Make a member' : 'Make an admin'}
            {isLastAdmin && <Reason>{keeps}</Reason>}
          </Menu.Item>
          {user.issuer === null && !provesItself && (
            <Menu.Item leftSection={<KeyRound size={16} aria-hidden />} onClick={() => setDialog('password')}>
              Reset password
            </Menu.Item>
          )}
          {user.secondFactor && !provesItself && (
            <Menu.Item leftSection={<ShieldX size={16} aria-hidden />} onClick={() => setDialog('factor')}>
              Remove second factor
            </Menu.Item>
          )}
          <Menu.Item leftSection={<GitBranch size={16} aria-hidden />} onClick={() => setDialog('accounts')}>
            Git host accounts
          </Menu.Item>
          <Menu.Item
            leftSection={user.disabled ? <UserCheck size={16} aria-hidden /> : <UserX size={16} aria-hidden />}
            disabled={keeps !== undefined}
            onClick={() => (user.disabled ? change.mutate({ disabled: false }) : setDialog('disable'))}
          >
            {user.disabled ? 'Enable' : 'Disable'}
            {keeps && <Reason>{keeps}</Reason>}
          </Menu.Item>
          <Menu.Item
            leftSection={<Trash2 size={16} aria-hidden />}
            color={keeps === undefined ? 'red' : undefined}
            disabled={keeps !== undefined}
            onClick={() => setDialog('delete')}
          >
            Delete
            {keeps && <Reason>{keeps}</Reason>}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={dialog === 'role'}
        close={close}
        question={`Make ${user.username} ${isAdmin ? 'a member' : 'an admin'}?`}
        consequence={
          isAdmin
            ? `${isSelf ? 'You' : 'This user'} can no longer open the settings, delete libraries or manage users. This applies to existing keys too.`
            : 'An admin can change all settings, delete libraries and manage users. This applies to existing keys too.'
        }
        verb={isAdmin ? 'Make a member' : 'Make an admin'}
        done={undefined}
        onConfirm={() => change.mutateAsync({ role: isAdmin ? 'member' : 'admin' })}
      />
      <ConfirmDialog
        opened={dialog === 'factor'}
        close={close}
        question={`Remove the second factor of ${user.username}?`}
        consequence="For somebody who lost it. All sessions end, and the next sign-in asks for the password only."
        verb="Remove second factor"
        done={undefined}
        onConfirm={() => removeFactor.mutateAsync()}
      />
      <ConfirmDialog
        opened={dialog === 'disable'}
        close={close}
        question={`Disable ${user.username}?`}
        consequence="All sessions end, and keys stop working. They work again when the user is enabled."
        verb="Disable"
        done={undefined}
        onConfirm={() => change.mutateAsync({ disabled: true })}
      />
      <ConfirmDialog
        opened={dialog === 'delete'}
        close={close}
        question={`Delete ${user.username}?`}
        consequence="All sessions and keys of this user are deleted. Libraries that the user added stay."
        verb="Delete user"
        done={undefined}
        onConfirm={() => remove.mutateAsync()}
      />
      <ResetPassword user={user} opened={dialog === 'password'} close={close} />
      <HostAccounts user={user} opened={dialog === 'accounts'} close={close} />
    </>
  )
}

const Reason = ({ children }: { children: string | undefined }) => <span className={styles.reason}>{children}</span>
