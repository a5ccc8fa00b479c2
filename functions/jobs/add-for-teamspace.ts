import { AppError } from '../../shared/errors.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import { tokenHosts } from '../../shared/reading/git/git-hosts.ts'
import type { TeamspaceCaller } from '../access/caller.ts'
import type { GitTokens } from '../access/git-tokens.ts'
import type { RateLimits } from '../access/rate-limits.ts'
import type { Plan, Teamspaces } from '../access/teamspaces.ts'
import { mayKnow } from '../access/visibility.ts'
import { type AddLibraryPorts, addLibrary, type NewLibrary } from './add-library.ts'

export type AddForTeamspacePorts = AddLibraryPorts & {
  teamspaces: Pick<Teamspaces, 'get' | 'own'>
  gitTokens: Pick<GitTokens, 'find'>
  rateLimits: Pick<RateLimits, 'add'>
}

export type RequestedLibrary = Pick<NewLibrary, 'repoUrl' | 'source' | 'isPrivate' | 'requestId'>

/**
 * Adds a library, which is in the teamspace's list from then on; only a private one belongs to it. An existing public library is added
 * to the list, too. Throws forbidden if the role or the plan allows no private repositories, not_configured without a token for its host,
 * rate_limit_exceeded, and what `addLibrary` throws.
 */
export async function addForTeamspace(
  ports: AddForTeamspacePorts,
  caller: TeamspaceCaller,
  { isPrivate, ...address }: RequestedLibrary,
): Promise<{ project: string }> {
  const { teamspace } = caller
  if (isPrivate) await requirePrivate(ports, caller)
  return ports.rateLimits.add(caller, async () => {
    const list = (project: string) => ports.teamspaces.own(teamspace, libraryKey(parseLibraryId(project)), 'added')
    const tokens = isPrivate ? await tokensOf(ports, teamspace) : undefined
    const added = addLibrary(ports, { ...address, isPrivate, ...(tokens && { teamspace, tokens }) }, ({ library }) =>
      mayKnow(caller, library),
    )
    const { project } = await added.catch(async (error: unknown) => {
      const { project: existing } = error instanceof AppError && error.code === 'duplicate_repo' ? error.fields : {}
      if (!isPrivate && typeof existing === 'string') await list(existing)
      throw error
    })
    if (!isPrivate) await list(project)
    return { project }
  })
}

/** Throws forbidden. `what` can be private repositories or another kind of private source. */
export async function requirePrivate(
  { teamspaces }: { teamspaces: Pick<Teamspaces, 'get'> },
  { role, teamspace }: TeamspaceCaller,
  what = 'private repositories',
): Promise<void> {
  if (role === 'developer') throw new AppError('forbidden', `Only owners and admins of a teamspace can add ${what}.`)
  requirePrivatePlan((await teamspaces.get(teamspace))?.plan ?? 'free', what)
}

/** Throws forbidden. */
export function requirePrivatePlan(plan: Plan, what = 'private repositories'): void {
  if (plan !== 'free') return
  throw new AppError('forbidden', `${what.charAt(0).toUpperCase()}${what.slice(1)} require a paid plan or a team plan.`)
}

async function tokensOf({ gitTokens }: AddForTeamspacePorts, teamspace: string) {
  const tokens = await Promise.all(tokenHosts.map(async (host) => [host, await gitTokens.find(teamspace, host)] as const))
  return new Map(tokens)
}
