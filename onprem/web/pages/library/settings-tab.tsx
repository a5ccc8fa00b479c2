import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SourceForm } from '../../../../shared/web/library/source-form.tsx'
import type { LibraryDetails } from '../../api/library-query.ts'
import { changeSource, sourceQuery } from '../../api/queries.ts'
import { SourceSaved } from './source-saved.tsx'

/** The source settings of a library, or the reason why they cannot be changed. */
export function SettingsTab({ library, busy }: { library: LibraryDetails; busy: boolean }) {
  const id = library.id.slice(1)
  const queryClient = useQueryClient()
  const isParsed = !library.imported && library.state === 'finalized'
  const source = useQuery({ ...sourceQuery(id), enabled: isParsed })
  if (library.imported)
    return (
      <EmptyState title="An imported library has no source settings">
        Its branch, folders and versions are set where it was exported. Change them there, then import it again.
      </EmptyState>
    )
  if (!isParsed)
    return (
      <EmptyState title="No source settings yet">
        They can be changed when the library has been added. If that failed, add the repository again with other settings.
      </EmptyState>
    )
  if (source.isLoadingError)
    return <ErrorState error={source.error} what="The settings cannot be loaded" retry={() => void source.refetch()} />
  if (!source.data) return <Skeleton height={420} maw={560} />
  return (
    <Stack gap="md">
      {library.declaredIn !== undefined && (
        <Text>
          Declared in{' '}
          <Anchor href={library.declaredIn} style={{ overflowWrap: 'anywhere' }}>
            {library.declaredIn}
          </Anchor>
        </Text>
      )}
      <SourceForm
        source={source.data}
        locked={lockedBy(library, busy)}
        isReadOnly={library.declaredIn !== undefined}
        save={async (change, etag) => {
          const saved = await changeSource(id, etag, change)
          const { message: _, ...stored } = saved
          queryClient.setQueryData(sourceQuery(id).queryKey, stored)
          return saved
        }}
        afterwards={(saved) => <SourceSaved id={id} source={saved} />}
      />
    </Stack>
  )
}

function lockedBy({ declaredIn }: LibraryDetails, busy: boolean): string | undefined {
  if (declaredIn !== undefined) return 'The followed repository declares these settings. Change them in its file.'
  return busy ? 'A job of this library is unfinished. Settings can be saved when it has ended.' : undefined
}
