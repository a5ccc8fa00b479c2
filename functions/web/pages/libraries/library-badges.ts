import type { TeamLibrary } from '../../api/library-queries.ts'

/** The visibility of a library, and a mark for a public one that the teamspace owns. */
export const libraryBadges = ({ private: isPrivate, owned }: Pick<TeamLibrary, 'private' | 'owned'>): string[] => [
  isPrivate ? 'Private' : 'Public',
  ...(owned && !isPrivate ? ['Owned'] : []),
]
