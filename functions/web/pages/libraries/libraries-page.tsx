import { NativeSelect, Pagination, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Lock, Plus } from 'lucide-react'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FilterInput } from '../../../../shared/web/filter-input.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import styles from '../../../../shared/web/library/library-table.module.css'
import { LibraryTable, type ListedLibrary } from '../../../../shared/web/library/library-table.tsx'
import { LinkButton, TextLink } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { libraryPath } from '../../api/library-path.ts'
import { librariesQuery, type TeamLibrary } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import own from './libraries-page.module.css'
import { type LibrariesSearch, pageSize, type StateFilter, stateLabels } from './libraries-search.ts'
import { libraryBadges } from './library-badges.ts'
import { LibraryState } from './library-state.tsx'
import { matchingLibraries } from './matching-libraries.ts'

const route = getRouteApi('/signed-in/frame/teamspaces/$team/libraries')

/** The libraries that the teamspace has added or owns. */
export function LibrariesPage() {
  const { id: team } = useTeam()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(librariesQuery(team))
  const change = (changes: Partial<LibrariesSearch>) =>
    void navigate({ search: (before) => ({ ...before, page: 1, ...changes }), replace: 'q' in changes })
  return (
    <Page title="Libraries" facts={list.data && list.data.length > 0 && factsOf(list.data)} action={<AddButton team={team} />}>
      {list.isLoadingError ? (
        <ErrorState error={list.error} what="The libraries cannot be loaded" retry={() => void list.refetch()} />
      ) : list.data?.length === 0 ? (
        <EmptyState picture="shelf" title="No libraries yet" action={<AddButton team={team} />}>
          Add a repository, and your agents can search its documentation. A library that others have added is in your list at
          once.
        </EmptyState>
      ) : (
        <Listed team={team} libraries={list.data} isBusy={list.isFetching} search={search} change={change} />
      )}
    </Page>
  )
}

const AddButton = ({ team }: { team: string }) => (
  <LinkButton to="/teamspaces/$team/libraries/add" params={{ team }} leftSection={<Plus size={16} aria-hidden />}>
    Add Repository
  </LinkButton>
)

function factsOf(libraries: readonly TeamLibrary[]): string {
  const running = libraries.filter(({ job }) => job !== null).length
  const snippets = libraries.reduce((sum, { totalSnippets }) => sum + totalSnippets, 0)
  const parts = [countOf(libraries.length, 'library', 'libraries'), countOf(snippets, 'snippet')]
  return [...parts, ...(running > 0 ? [`${countOf(running, 'job')} running`] : [])].join(' · ')
}

type ListedProps = {
  team: string
  libraries: readonly TeamLibrary[] | undefined
  isBusy: boolean
  search: LibrariesSearch
  change: (changes: Partial<LibrariesSearch>) => void
}

function Listed({ team, libraries, isBusy, search, change }: ListedProps) {
  const matching = libraries && matchingLibraries(libraries, search)
  const pages = Math.ceil((matching?.length ?? 0) / pageSize)
  const page = Math.min(search.page, Math.max(1, pages))
  const shown = matching?.slice((page - 1) * pageSize, page * pageSize)
  return (
    <Stack gap="md">
      <div className={styles.filters}>
        <FilterInput
          className={styles.filter}
          label="Filter libraries"
          placeholder="Filter by name or description"
          value={search.q}
          onChange={(q) => change({ q })}
        />
        <NativeSelect
          aria-label="State"
          data={Object.entries(stateLabels).map(([value, label]) => ({ value, label }))}
          value={search.state}
          onChange={(event) => change({ state: event.currentTarget.value as StateFilter })}
        />
      </div>
      <LibraryTable libraries={shown?.map((library) => listedLibrary(team, library))} isBusy={isBusy} badgesTitle="Access" />
      {matching?.length === 0 && (
        <EmptyState picture="search" title={search.q === '' ? 'No library is in this state' : `No library matches “${search.q}”`}>
          Try a part of its name, or another state.
        </EmptyState>
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={(to) => change({ page: to })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Stack>
  )
}

const listedLibrary = (team: string, library: TeamLibrary): ListedLibrary => ({
  ...library,
  link: (
    <TextLink
      data-row
      to="/teamspaces/$team/libraries/$owner/$repo"
      params={{ team, ...libraryPath(library.id) }}
      fw={500}
      c="var(--ink)"
    >
      <bdi>{library.title}</bdi>
      {library.private && <Lock size={12} className={own.lock} aria-label="Private" />}
    </TextLink>
  ),
  badges: libraryBadges(library),
  hasContent: library.state === 'finalized',
  state: <LibraryState library={library} />,
})
