import { libraryKey, parseLibraryId } from '../../../shared/library.ts'
import { type RecognizedSources, type RecognizeRequest, recognizeSources } from '../../../shared/packages/recognized-sources.ts'
import type { GitHosts } from '../../../shared/reading/git/git-hosts.ts'
import { longId } from '../../../shared/reading/git/known-id.ts'
import type { TeamspaceCaller } from '../../access/caller.ts'
import { type TeamLibrariesPorts, teamLibraries } from './team-libraries.ts'

export type RecognizeForTeamPorts = TeamLibrariesPorts & { gitHosts(): GitHosts }

/** The repositories that a text names, and which of them are in the list of the teamspace. Throws what `recognize` throws. */
export async function recognizeForTeam(
  ports: RecognizeForTeamPorts,
  caller: TeamspaceCaller,
  request: RecognizeRequest,
): Promise<RecognizedSources> {
  const listed = await teamLibraries(ports, caller)
  const states = new Map(listed.map(({ id, job }) => [libraryKey(parseLibraryId(id)), job ? 'queued' : 'present'] as const))
  return recognizeSources(request, ports.gitHosts(), (address) => {
    const long = longId(address)
    const id = states.has(libraryKey(long)) ? long : address.id
    return { id, state: states.get(libraryKey(id)) ?? 'absent' }
  })
}
