import type { LibraryId } from '../../shared/library.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { knownId } from '../../shared/reading/git/known-id.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import { mayKnow, type Viewer } from './visibility.ts'

export type KnownIdPorts = { catalog: Pick<HostedCatalog, 'record'>; gitHosts(): GitHosts }

/** The id of the library that a caller means; any caller if `viewer` is absent. A hidden library is answered like a missing one. */
export const knownIdFor = ({ catalog, gitHosts }: KnownIdPorts, id: LibraryId, viewer?: Viewer): Promise<LibraryId> =>
  knownId(
    {
      gitHosts,
      async sourceUrlOf(named) {
        const record = await catalog.record(named)
        return record && (viewer === undefined || mayKnow(viewer, record.library)) ? record.sourceUrl : undefined
      },
    },
    id,
  )
