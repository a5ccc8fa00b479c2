import { Text } from '@mantine/core'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import type { Team } from '../../api/session-query.ts'
import { isAtLeast } from '../../frame/pages-of.ts'

/** Replaces the page for a teamspace that may not export: why, and how to change it. */
export const NoLicense = ({ team, why }: { team: Team; why: string }) => (
  <EmptyState title="This teamspace has no valid offline license" action={<RequestButton team={team} />}>
    {why} <HowToAsk team={team} />
  </EmptyState>
)

export const HowToAsk = ({ team }: { team: Team }) => (
  <Text span inherit>
    {isAtLeast(team.role, 'admin')
      ? 'Request the enterprise plan to get one for this teamspace.'
      : `An owner or admin of ${team.name} can request one.`}
  </Text>
)

const RequestButton = ({ team }: { team: Team }) =>
  isAtLeast(team.role, 'admin') && (
    <LinkButton to="/teamspaces/$team/settings/limits" params={{ team: team.id }} variant="default">
      Request a plan
    </LinkButton>
  )
