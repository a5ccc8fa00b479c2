import { useParams } from '@tanstack/react-router'
import type { Team } from './session-query.ts'
import { useSession } from './use-session.ts'

/** The teamspace in the address of a page below `/teamspaces/$team`, with the role of the user in it. */
export function useTeam(): Team {
  const { team: id } = useParams({ strict: false })
  const team = useSession().teamspaces.find((each) => each.id === id)
  if (team === undefined) throw new Error('You are not a member of this teamspace.')
  return team
}
