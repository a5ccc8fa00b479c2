import { Alert, Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SourceForm } from '../../../../shared/web/library/source-form.tsx'
import { changeSource, type LibraryDetails, type LibraryPath, sourceQuery } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'

/** The source settings of a library, or the reason why they cannot be changed. */
export function SettingsTab({ path, library }: { path: LibraryPath; library: LibraryDetails }) {
  const { role } = useTeam()
  const queryClient = useQueryClient()
  const isReadable = library.owned && library.state === 'finalized'
  const source = useQuery({ ...sourceQuery(path), enabled: isReadable })
  if (!library.owned)
    return (
      <EmptyState title="The settings belong to the owner">
        Branch, folders and versions of a public library are set by the teamspace that owns it. An admin can claim it under
        Ownership.
      </EmptyState>
    )
  if (!isReadable)
    return <EmptyState title="No source settings yet">They can be changed when the library has been added.</EmptyState>
  if (source.isLoadingError)
    return <ErrorState error={source.error} what="The settings cannot be loaded" retry={() => void source.refetch()} />
  if (!source.data) return <Skeleton height={420} maw={560} />
  const locked =
    role === 'developer'
      ? 'Only owners and admins of the teamspace can change these settings.'
      : library.job
        ? 'A job of this library is unfinished. Settings can be saved when it has ended.'
        : undefined
  return (
    <SourceForm
      source={source.data}
      locked={locked}
      save={async (change, etag) => {
        const saved = await changeSource(path, etag, change)
        const { message: _, ...stored } = saved
        queryClient.setQueryData(sourceQuery(path).queryKey, stored)
        return saved
      }}
      afterwards={({ message }) => (
        <Alert color="gray" title="Settings saved" role="status">
          <Text size="sm">{message}</Text>
        </Alert>
      )}
    />
  )
}
