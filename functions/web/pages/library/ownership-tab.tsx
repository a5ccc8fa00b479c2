import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import type { LibraryDetails, LibraryPath } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { ClaimLibrary } from './claim-library.tsx'
import { OwnedLibrary } from './owned-library.tsx'

/** Whose library it is: claimed, released and removed here. */
export function OwnershipTab({ path, library }: { path: LibraryPath; library: LibraryDetails }) {
  const { role } = useTeam()
  if (library.private)
    return (
      <EmptyState title="Your teamspace owns this library">
        It is private: only members and keys of this teamspace can read it. Delete it to give it up.
      </EmptyState>
    )
  if (library.owned) return <OwnedLibrary path={path} id={library.id} />
  if (role === 'developer')
    return (
      <EmptyState title="Your teamspace does not own this library">
        Only owners and admins of the teamspace can claim it. Its owner sees its usage, and sets its branch, folders and versions.
      </EmptyState>
    )
  return <ClaimLibrary path={path} id={library.id} />
}
