import { type LibraryId, libraryKey, readSourceId, sourceId } from '../../shared/library.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { hostOf } from '../../shared/reading/git/repo-address.ts'
import type { OptOut, OptOuts } from './opt-outs.ts'

type LiftOptOutPorts = { optOuts: Pick<OptOuts, 'find' | 'lift'>; gitHosts(): GitHosts }

/** Lifts the opt-outs of a library by its id and, for a repository, by its other id. Returns false if there are none. */
export async function liftOptOut(ports: LiftOptOutPorts, id: LibraryId): Promise<boolean> {
  const other = await otherId(ports, id)
  const lifted = await Promise.all([id, ...(other ? [other] : [])].map((each) => ports.optOuts.lift(libraryKey(each))))
  return lifted.includes(true)
}

/** The longer id of a short one, and the reverse. The library is gone, so only the opt-out of the short id tells its host. */
async function otherId({ optOuts, gitHosts }: LiftOptOutPorts, id: LibraryId): Promise<LibraryId | undefined> {
  const named = readSourceId(id)
  const short = named?.id ?? id
  const host = hostOfShort(await optOuts.find(libraryKey(short)), gitHosts())
  if (named) return named.source === host ? short : undefined
  return host === undefined ? undefined : sourceId(host, id)
}

/** An opt-out without an address belongs to GitHub. Undefined for a source that is no repository. */
const hostOfShort = (optOut: OptOut | undefined, hosts: GitHosts): string | undefined =>
  optOut?.sourceUrl === undefined ? 'github' : hostOf(optOut.sourceUrl, hosts)?.name
