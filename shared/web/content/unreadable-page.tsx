import { ApiError } from '../api/api-error.ts'
import { EmptyState } from '../empty-state.tsx'
import { ErrorState } from '../error-state.tsx'

/** A page that a version does not have is no failure: the address may be of another version. */
export function UnreadablePage({ error, path, retry }: { error: Error; path: string; retry: () => void }) {
  if (!(error instanceof ApiError) || error.status !== 404)
    return <ErrorState error={error} what="The page cannot be loaded" retry={retry} />
  return (
    <EmptyState picture="search" title="This page is not here">
      The chosen version has no page <bdi>{path}</bdi>. Choose another page or another version.
    </EmptyState>
  )
}
