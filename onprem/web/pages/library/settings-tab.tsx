import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import type { LibraryItem } from '../../api/library-query.ts'
import { sourceQuery } from '../../api/queries.ts'
import { SourceForm } from './source-form.tsx'

/** The source settings of a library, or the reason why they cannot be changed. */
export function SettingsTab({ library, busy }: { library: LibraryItem; busy: boolean }) {
  const id = library.id.slice(1)
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
        They can be changed when the first parse has ended. After a failed one, add the repository again with other settings.
      </EmptyState>
    )
  if (source.isLoadingError)
    return <ErrorState error={source.error} what="The settings cannot be loaded" retry={() => void source.refetch()} />
  if (!source.data) return <Skeleton height={420} maw={560} />
  return <SourceForm id={id} source={source.data} busy={busy} />
}
