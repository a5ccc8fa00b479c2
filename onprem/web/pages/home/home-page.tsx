import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { LibraryTable } from '../../../../shared/web/library/library-table.tsx'
import { LinkButton, TextLink } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { PageSection } from '../../../../shared/web/page-section.tsx'
import { activeJobsQuery, libraryListQuery } from '../../api/library-query.ts'
import { listedLibrary } from '../libraries/listed-library.tsx'
import { Attention } from './attention.tsx'
import { RecentUse } from './recent-use.tsx'
import { SetupChecklist } from './setup-checklist.tsx'

const newest = { sort: 'updated', order: 'desc', page: '1', pageSize: '8' } as const

/** What happens on this install, and what to do next. */
export function HomePage() {
  const list = useQuery(libraryListQuery(newest))
  const { data: active = {} } = useQuery(activeJobsQuery)
  const isEmpty = list.data?.total === 0
  return (
    <Page
      title="Home"
      action={
        !isEmpty && (
          <LinkButton to="/add" leftSection={<Plus size={16} aria-hidden />}>
            Add Repository
          </LinkButton>
        )
      }
    >
      <SetupChecklist />
      <Attention />
      {list.isLoadingError ? (
        <ErrorState error={list.error} what="The libraries cannot be loaded" retry={() => void list.refetch()} />
      ) : isEmpty ? (
        <EmptyState picture="shelf" title="No libraries yet" action={<LinkButton to="/add">Add Repository</LinkButton>}>
          Add a repository, and your agents can search its documentation.
        </EmptyState>
      ) : (
        <Stack gap="xl">
          <RecentUse />
          <PageSection title="Libraries" action={<TextLink to="/libraries">Show all</TextLink>}>
            <LibraryTable
              libraries={list.data?.projects.map((library) => listedLibrary(library, active[library.id]))}
              isBusy={list.isFetching}
              hasLanguages
            />
          </PageSection>
        </Stack>
      )}
    </Page>
  )
}
