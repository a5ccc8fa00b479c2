import { Outlet, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { EmptyState } from '../../../shared/web/empty-state.tsx'
import { LinkButton } from '../../../shared/web/link-button.tsx'
import { Page } from '../../../shared/web/page.tsx'
import { rememberTeam } from '../api/last-team.ts'
import { useSession } from '../api/use-session.ts'
import { FollowJobs } from './follow-jobs.ts'

/** The pages of a teamspace, for its members. */
export function TeamOutlet() {
  const { team } = useParams({ strict: false })
  const isMember = useSession().teamspaces.some(({ id }) => id === team)
  useEffect(() => {
    if (isMember && team !== undefined) rememberTeam(team)
  }, [isMember, team])
  if (!isMember || team === undefined) return <UnknownTeam />
  return (
    <>
      <FollowJobs team={team} />
      <Outlet />
    </>
  )
}

const UnknownTeam = () => (
  <Page title="Teamspace not found">
    <EmptyState
      picture="search"
      title="There is no such teamspace, or you are not a member of it"
      action={<LinkButton to="/">Show my libraries</LinkButton>}
    >
      An owner or admin of the teamspace can invite you. If you have several accounts, you may be signed in with another one.
    </EmptyState>
  </Page>
)
