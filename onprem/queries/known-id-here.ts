import { type LibraryId, libraryKey } from '../../shared/library.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { knownId } from '../../shared/reading/git/known-id.ts'
import { type VisiblePorts, visibleTo } from '../access/among-visible.ts'
import type { Caller } from '../access/caller.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

type KnownIdPorts = VisiblePorts & {
  catalog: Pick<InstallCatalog, 'find'>
  jobs: Pick<JobStore, 'unserved'>
  gitHosts(): GitHosts
}

/** The id of the library that a caller means. A hidden library is not looked for, so it is answered like a missing one. */
export function knownIdHere(ports: KnownIdPorts, caller: Caller, id: LibraryId): Promise<LibraryId> {
  const { catalog, jobs, gitHosts } = visibleTo(ports, caller)
  return knownId(
    { gitHosts, sourceUrlOf: (named) => catalog.find(named)?.sourceUrl ?? jobs.unserved.find(libraryKey(named))?.repoUrl },
    id,
  )
}
