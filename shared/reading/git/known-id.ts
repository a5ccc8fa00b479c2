import { type LibraryId, parseLibraryId, printLibraryId, readSourceId, sourceId } from '../../library.ts'
import { type GitHosts, listHosts } from './git-hosts.ts'
import { hostOf, type RepoAddress } from './repo-address.ts'

export type KnownIdPorts = {
  gitHosts(): GitHosts
  /** The address of the source of the library that has this id; undefined if none has. */
  sourceUrlOf(id: LibraryId): string | undefined | Promise<string | undefined>
}

/**
 * The id of the library that an id means. `/<source>/<owner~repo>` is also the library `/owner/repo` of that git host, unless one has the
 * longer id. Any other id, and that of an unknown library, stays as it is.
 */
export async function knownId({ gitHosts, sourceUrlOf }: KnownIdPorts, id: LibraryId): Promise<LibraryId> {
  const named = readSourceId(id)
  const hosts = gitHosts()
  if (!named || !listHosts(hosts).some(({ name }) => name === named.source)) return id
  if ((await sourceUrlOf(id)) !== undefined) return id
  const sourceUrl = (await sourceUrlOf(named.id)) ?? ''
  return hostOf(sourceUrl, hosts)?.name === named.source ? named.id : id
}

/** The id of a library of this repository if another host has `/owner/repo`. Throws validation_error if it is too long. */
export const longId = ({ host, id }: Pick<RepoAddress, 'host' | 'id'>): LibraryId =>
  parseLibraryId(printLibraryId(sourceId(host.name, id)))
