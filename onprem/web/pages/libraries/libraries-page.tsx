import { NativeSelect, Pagination, Stack, Table } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useRef } from 'react'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FilterInput } from '../../../../shared/web/filter-input.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { SkeletonRows } from '../../../../shared/web/skeleton-rows.tsx'
import { activeJobsQuery, libraryListQuery } from '../../api/library-query.ts'
import styles from './libraries-page.module.css'
import { type LibrariesSearch, originLabels, pageSize, sortLabels, stateLabels } from './libraries-search.ts'
import { LibraryRow } from './library-row.tsx'
import { SetupChecklist } from './setup-checklist.tsx'

export function LibrariesPage() {
  const search = useSearch({ from: '/signed-in/frame/' })
  const navigate = useNavigate({ from: '/' })
  const change = (changes: Partial<LibrariesSearch>) =>
    void navigate({ search: (before) => ({ ...before, page: 1, ...changes }), replace: 'q' in changes })
  const [sort = 'id', order = 'asc'] = search.sort.split('-') as ['id', 'asc']
  const list = useQuery(
    libraryListQuery({
      q: search.q || undefined,
      origin: search.origin || undefined,
      state: search.state || undefined,
      sort,
      order,
      page: String(search.page),
      pageSize: String(pageSize),
    }),
  )
  const { data: active = {} } = useQuery(activeJobsQuery)
  const table = useRef<HTMLTableSectionElement>(null)
  useHotkeys([
    ['j', () => moveFocus(table.current, 1)],
    ['k', () => moveFocus(table.current, -1)],
  ])
  const isFiltered = search.q !== '' || search.origin !== '' || search.state !== ''
  const isEmpty = list.data?.total === 0 && !isFiltered
  const pages = Math.ceil((list.data?.total ?? 0) / pageSize)
  return (
    <Page
      title="Libraries"
      facts={list.data && factsOf(list.data.total, Object.keys(active).length)}
      action={
        <LinkButton to="/add" leftSection={<Plus size={16} aria-hidden />}>
          Add Repository
        </LinkButton>
      }
    >
      <SetupChecklist />
      {list.isLoadingError ? (
        <ErrorState error={list.error} what="The libraries cannot be loaded" retry={() => void list.refetch()} />
      ) : isEmpty ? (
        <EmptyState title="No libraries yet" action={<LinkButton to="/add">Add Repository</LinkButton>}>
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
            <Choice label="Sort by" labels={sortLabels} value={search.sort} onChange={(sort) => change({ sort })} />
          </div>
          <Table highlightOnHover className={styles.table}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Library</Table.Th>
                <Table.Th className={styles.wide}>Source</Table.Th>
                <Table.Th className={styles.number}>Snippets</Table.Th>
                <Table.Th className={`${styles.number} ${styles.wide}`}>Tokens</Table.Th>
                <Table.Th className={styles.wide}>Updated</Table.Th>
                <Table.Th>State</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody ref={table} aria-busy={list.isFetching}>
              {list.data ? (
                list.data.projects.map((library) => <LibraryRow key={library.id} library={library} job={active[library.id]} />)
              ) : (
                <SkeletonRows rows={6} columns={6} />
              )}
            </Table.Tbody>
          </Table>
          {list.data?.total === 0 && (
            <EmptyState title={search.q === '' ? 'No library matches these filters' : `No library matches “${search.q}”`}>
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

/** Moves the focus to the next or previous row's link. */
function moveFocus(body: HTMLElement | null, by: 1 | -1): void {
  const links = [...(body?.querySelectorAll<HTMLElement>('a[data-row]') ?? [])]
  const at = links.indexOf(document.activeElement as HTMLElement)
  links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus()
}
