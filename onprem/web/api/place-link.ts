import type { FoundMatch } from '../../../shared/web/search/found.ts'

/** The address of a library, or of what was found in it. */
export const placeLink = (id: string, match?: FoundMatch) =>
  ({
    to: '/libraries/$',
    params: { _splat: id.slice(1) },
    search: match ? { page: match.path } : {},
    hash: match?.anchor ?? '',
  }) as const
