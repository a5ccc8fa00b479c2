import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { api } from '../../api/api.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { membersQuery } from '../../api/teamspace-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { roleTexts } from '../../teamspace/roles.ts'
import { RenameForm } from './rename-form.tsx'

export function GeneralPage() {
  const { role } = useTeam()
  return (
    <SettingsSection title="General" about={`Your role in this teamspace: ${roleTexts[role].label}.`}>
      <Stack gap="xl">
        <RenameForm />
        <Leave />
        {role === 'owner' && <Delete />}
      </Stack>
    </SettingsSection>
  )
}

function Leave() {
  const { id, name, role } = useTeam()
  const { data: members } = useQuery(membersQuery(id))
  const finish = useLeft()
  const isLastOwner = role === 'owner' && members?.filter((member) => member.role === 'owner').length === 1
  const leave = async () => {
    await answerOf(api.teamspaces[':team'].leave.$post({ param: { team: id }, json: { name } }))
    await finish()
  }
  return (
    <Act
      title="Leave"
      text={
        isLastOwner
          ? 'You are the last owner. Make another member an owner first, or delete the teamspace.'
          : 'Your membership ends, and with it your keys. An admin can invite you again.'
      }
    >
      <ConfirmButton
        disabled={isLastOwner}
        question={`Leave ${name}?`}
        consequence="You lose access to its private libraries and usage. Agents that use your keys are rejected."
        typed={name}
        done={`You have left ${name}.`}
        onConfirm={leave}
      >
        Leave teamspace
      </ConfirmButton>
    </Act>
  )
}

function Delete() {
  const { id, name } = useTeam()
  const finish = useLeft()
  const remove = async () => {
    await answerOf(api.teamspaces[':team'].$delete({ param: { team: id }, json: { name } }))
    await finish()
  }
  return (
    <Act title="Delete" text="All members lose the teamspace with its data. Nobody can restore it.">
      <ConfirmButton
        question={`Delete ${name}?`}
        consequence="Its keys, private libraries, policy, rules, git tokens, invitations and saved selections are deleted for all members. Public libraries stay for everybody, without an owner."
        typed={name}
        done={`Teamspace ${name} deleted.`}
        onConfirm={remove}
      >
        Delete teamspace
      </ConfirmButton>
    </Act>
  )
}

/** Opens the start page when the user is no member any more. */
function useLeft() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
    await navigate({ to: '/', replace: true })
  }
}

const Act = ({ title, text, children }: { title: string; text: string; children: ReactNode }) => (
  <section>
    <Group justify="space-between" gap="sm">
      <div>
        <Title order={2}>{title}</Title>
        <Text size="sm" c="dimmed" maw={480}>
          {text}
        </Text>
      </div>
      {children}
    </Group>
  </section>
)
