import { NativeSelect, Pagination, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FilterInput } from '../../../../shared/web/filter-input.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import styles from '../../../../shared/web/library/library-table.module.css'
import { LibraryTable, type SortColumn } from '../../../../shared/web/library/library-table.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { activeJobsQuery, libraryListQuery } from '../../api/library-query.ts'
import { dailyUsageQuery } from '../../api/queries.ts'
import { ChosenLibraries } from './chosen-libraries.tsx'
import { type LibrariesSearch, originLabels, pageSize, type Sort, sortLabels, stateLabels } from './libraries-search.ts'
import { listedLibrary } from './listed-library.tsx'

export function LibrariesPage() {
  const search = useSearch({ from: '/signed-in/frame/libraries/' })
  const navigate = useNavigate({ from: '/libraries' })
  const change = (changes: Partial<LibrariesSearch>) =>
    void navigate({ search: (before) => ({ ...before, page: 1, ...changes }), replace: 'q' in changes })
  const [sort, order] = search.sort.split('-') as [SortColumn, 'asc' | 'desc']
  const list = useQuery(
    libraryListQuery({
      q: search.q || undefined,
      origin: search.origin || undefined,
      ...(search.state === 'stale' ? { stale: 'true' as const } : { state: search.state || undefined }),
      tag: search.tag || undefined,
      sort,
      order,
      page: String(search.page),
      pageSize: String(pageSize),
    }),
  )
  const { data: active = {} } = useQuery(activeJobsQuery)
  const { data: use } = useQuery(dailyUsageQuery(list.data?.projects.map(({ id }) => id) ?? []))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const chosenLibraries = list.data?.projects.filter(({ id }) => chosen.has(id)) ?? []
  const isFiltered = search.q !== '' || search.origin !== '' || search.state !== '' || search.tag !== ''
  const tags = [...new Set([...(list.data?.tags ?? []), ...(search.tag === '' ? [] : [search.tag])])]
  const isEmpty = list.data?.total === 0 && !isFiltered
  const pages = Math.ceil((list.data?.total ?? 0) / pageSize)
  return (
    <Page
      title="Libraries"
      facts={list.data && factsOf(list.data.total, Object.keys(active).length)}
      action={
        !isEmpty && (
          <LinkButton to="/add" leftSection={<Plus size={16} aria-hidden />}>
            Add Repository
          </LinkButton>
        )
      }
    >
      {list.isLoadingError ? (
        <ErrorState error={list.error} what="The libraries cannot be loaded" retry={() => void list.refetch()} />
      ) : isEmpty ? (
        <EmptyState picture="shelf" title="No libraries yet" action={<LinkButton to="/add">Add Repository</LinkButton>}>
          Add a repository, and your agents can search its documentation.
        </EmptyState>
      ) : (
        <Stack gap="md">
          <div className={styles.filters}>
            <FilterInput
              className={styles.filter}
              label="Filter libraries"
              placeholder="Filter by name or description"
              value={search.q}
              onChange={(q) => change({ q })}
            />
            <Choice label="Source" labels={originLabels} value={search.origin} onChange={(origin) => change({ origin })} />
            <Choice label="State" labels={stateLabels} value={search.state} onChange={(state) => change({ state })} />
            {tags.length > 0 && (
              <Choice label="Tag" labels={tagLabels(tags)} value={search.tag} onChange={(tag) => change({ tag })} />
            )}
            <div className={styles.narrow}>
              <Choice label="Sort by" labels={sortLabels} value={search.sort} onChange={(sort) => change({ sort })} />
            </div>
          </div>
          {chosenLibraries.length > 0 && (
            <ChosenLibraries libraries={chosenLibraries} tags={list.data?.tags ?? []} clear={() => setChosen(new Set())} />
          )}
          <LibraryTable
            libraries={list.data?.projects.map((library) => listedLibrary(library, active[library.id]))}
            isBusy={list.isFetching}
            hasLanguages
            sorting={{
              sort: { column: sort, isDescending: order === 'desc' },
              change: ({ column, isDescending }) => change({ sort: `${column}-${isDescending ? 'desc' : 'asc'}` satisfies Sort }),
            }}
            choice={{ chosen, change: setChosen }}
            use={use && { from: use.from, requests: new Map(use.libraries.map((each) => [each.libraryId, each.requests])) }}
          />
          {list.data?.total === 0 && (
            <EmptyState
              picture="search"
              title={search.q === '' ? 'No library matches these filters' : `No library matches “${search.q}”`}
            >
              Try a part of its name, or other filters.
            </EmptyState>
          )}
          {pages > 1 && (
            <Pagination
              total={pages}
              value={search.page}
              onChange={(page) => change({ page })}
              getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              getItemProps={(page) => ({ 'aria-label': `Page ${page}` })}
            />
          )}
        </Stack>
      )}
    </Page>
  )
}

/** A tag of the address stays a choice, also if no library has it any more. */
const tagLabels = (tags: readonly string[]): Record<string, string> => ({
  '': 'All tags',
  ...Object.fromEntries(tags.map((tag) => [tag, tag])),
})

const factsOf = (total: number, running: number): string =>
  [countOf(total, 'library', 'libraries'), running > 0 && `${countOf(running, 'job')} running`].filter(Boolean).join(' · ')

type ChoiceProps<Value extends string> = {
  label: string
  labels: Record<Value, string>
  value: Value
  onChange: (value: Value) => void
}

const Choice = <Value extends string>({ label, labels, value, onChange }: ChoiceProps<Value>) => (
  <NativeSelect
    aria-label={label}
    data={Object.entries<string>(labels).map(([value, label]) => ({ value, label }))}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value as Value)}
  />
)
