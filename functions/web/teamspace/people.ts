import { useQuery } from '@tanstack/react-query'
import { type Member, membersQuery } from '../api/teamspace-queries.ts'

/** Returns the name of a member by the id of the user: somebody who has left has none. */
export function usePeople(team: string): (user: string) => string {
  const { data: members = [] } = useQuery(membersQuery(team))
  return (user) => nameOf(members.find((member) => member.user === user))
}

const nameOf = (member: Member | undefined): string => (member ? member.name || member.email : 'a former member')
