import { Radio, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { type NewKey, NewKeyButton, NewKeyDialog } from '../../../shared/web/keys/new-key-button.tsx'
import { api } from '../api/api.ts'
import type { Team } from '../api/session-query.ts'
import { type Role, teamKeysQuery } from '../api/teamspace-queries.ts'
import { useTeam } from '../api/use-team.ts'
import { RoleChoice } from '../teamspace/role-choice.tsx'
import { type Scope, scopeTexts } from './scopes.ts'

type OnCreated = (created: { id: string; key: string }) => void
type NewTeamKeyButtonProps = { children?: string; onCreated?: OnCreated }

/** Makes a key of the user for the teamspace and shows it, once. */
export const NewTeamKeyButton = ({ children = 'New key', onCreated }: NewTeamKeyButtonProps) => (
  <NewKeyButton {...useNewKey(useTeam(), onCreated)}>{children}</NewKeyButton>
)

type NewTeamKeyDialogProps = { team: Team; isOpen: boolean; onClose: () => void }

/** The dialog of the button, for a place without one. */
export const NewTeamKeyDialog = ({ team, ...dialog }: NewTeamKeyDialogProps) => <NewKeyDialog {...useNewKey(team)} {...dialog} />

function useNewKey({ id: team, role: own }: Team, onCreated?: OnCreated) {
  const queryClient = useQueryClient()
  const [scope, setScope] = useState<Scope>('read')
  const [role, setRole] = useState<Role>('developer')
  const create = async (key: NewKey) => {
    const created = await answerOf(api.teamspaces[':team'].keys.$post({ param: { team }, json: { ...key, scope, role } }))
    onCreated?.(created)
    await queryClient.invalidateQueries({ queryKey: teamKeysQuery(team).queryKey })
    return created
  }
  const choices = (
    <>
      <Radio.Group label="Scope" value={scope} onChange={(value) => setScope(value as Scope)}>
        <Stack gap="xs" mt={6}>
          {Object.entries(scopeTexts).map(([value, { label, rights }]) => (
            <Radio key={value} value={value} label={label} description={rights} />
          ))}
        </Stack>
      </Radio.Group>
      {own !== 'developer' && <RoleChoice label="Role" own={own} value={role} onChange={setRole} />}
    </>
  )
  return { rights: 'The key ends when you leave the teamspace, and never has a higher role than you.', choices, create }
}
