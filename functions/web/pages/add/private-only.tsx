import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTeam } from '../../api/use-team.ts'
import { LimitsLink } from '../../frame/limits-link.tsx'

type PrivateOnlyProps = { what: string; children: ReactNode }

/** Shows its children, or why the member cannot add private libraries. */
export function PrivateOnly({ what, children }: PrivateOnlyProps) {
  const { id: team, role, plan } = useTeam()
  if (role === 'developer')
    return (
      <Text size="sm" c="dimmed">
        Only owners and admins of a teamspace can add {what}.
      </Text>
    )
  if (plan === 'free')
    return (
      <Text size="sm" c="dimmed">
        {what.charAt(0).toUpperCase() + what.slice(1)} require the plan Team or Enterprise. <LimitsLink team={team} />
      </Text>
    )
  return children
}
