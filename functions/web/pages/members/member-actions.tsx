import { ActionIcon, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Ellipsis, UserCog, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmDialog } from '../../../../shared/web/confirm-dialog.tsx'
import { api } from '../../api/api.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { type Member, type Role, teamKey } from '../../api/teamspace-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { rolesUpTo, roleTexts } from '../../teamspace/roles.ts'
import styles from './members-page.module.css'

type MemberActionsProps = { member: Member; isSelf: boolean; isLastOwner: boolean }

/** The actions of an admin on a member. Those that the API would reject are disabled, with the reason. */
export function MemberActions({ member, isSelf, isLastOwner }: MemberActionsProps) {
  const { role: own } = useTeam()
  const [dialog, setDialog] = useState<Role | 'remove'>()
  const queryClient = useQueryClient()
  const close = () => {
    setDialog(undefined)
    // The role of the user may have changed, too. Before, an error would disappear with the dialog.
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
  const { changeRole, remove } = useMemberChanges(member)
  const name = member.name || member.email
  const newRole = dialog === 'remove' ? undefined : dialog
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${name}`}>
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {rolesUpTo(own)
            .filter((role) => role !== member.role)
            .map((role) => (
              <Menu.Item
                key={role}
                leftSection={<UserCog size={16} aria-hidden />}
                disabled={isLastOwner}
                onClick={() => setDialog(role)}
              >
                {makes[role]}
                {isLastOwner && <LastOwner />}
              </Menu.Item>
            ))}
          <Menu.Item
            leftSection={<UserMinus size={16} aria-hidden />}
            color={isSelf || isLastOwner ? undefined : 'red'}
            disabled={isSelf || isLastOwner}
            onClick={() => setDialog('remove')}
          >
            Remove
            {isLastOwner ? <LastOwner /> : isSelf && <span className={styles.reason}>Leave in the general settings.</span>}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={newRole !== undefined}
        close={close}
        question={newRole ? `Make ${name} ${articles[newRole]}?` : ''}
        consequence={newRole && `${roleTexts[newRole].rights}. This applies to existing keys too.`}
        verb={newRole ? makes[newRole] : ''}
        isDestructive={false}
        done="Role changed."
        onConfirm={async () => newRole && changeRole(newRole)}
      />
      <ConfirmDialog
        opened={dialog === 'remove'}
        close={close}
        question={`Remove ${name}?`}
        consequence="The membership and all keys of this member end. Libraries that the member added stay."
        verb="Remove member"
        done="Member removed."
        onConfirm={remove}
      />
    </>
  )
}

const articles: Record<Role, string> = { owner: 'an owner', admin: 'an admin', developer: 'a developer' }
const makes: Record<Role, string> = { owner: 'Make an owner', admin: 'Make an admin', developer: 'Make a developer' }

const LastOwner = () => <span className={styles.reason}>This is the last owner.</span>

function useMemberChanges({ user }: Member) {
  const { id: team } = useTeam()
  const queryClient = useQueryClient()
  const param = { team, user }
  const settled = async <Answer,>(change: Promise<Answer>) => {
    try {
      await change
    } finally {
      // Another admin may have changed the member.
      await queryClient.invalidateQueries({ queryKey: teamKey(team) })
    }
  }
  const one = api.teamspaces[':team'].members[':user']
  return {
    changeRole: (role: Role) => settled(answerOf(one.$patch({ param, json: { role } }))),
    remove: () => settled(answerOf(one.$delete({ param }))),
  }
}
