import { Loader, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FilterInput } from '../../../../shared/web/filter-input.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { PageSection } from '../../../../shared/web/page-section.tsx'
import { type KnownLibrary, knownLibrariesQuery } from './add-queries.ts'
import type { AddSearch } from './add-search.ts'
import { PopularGroup } from './popular-group.tsx'
import styles from './popular-libraries.module.css'

/** The shipped list of libraries, each added with one click. */
export function PopularLibraries() {
  const { q, group } = useSearch({ from: '/signed-in/frame/add' })
  const navigate = useNavigate({ from: '/add' })
  const { data, error, refetch } = useQuery(knownLibrariesQuery)
  const show = (change: Partial<AddSearch>) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (data?.libraries.length === 0)
    return (
      <EmptyState picture="shelf" title="No popular libraries">
        <MessageText>Their repositories are on github.com, and the setting github.baseUrl names another host.</MessageText>
      </EmptyState>
    )
  const libraries = data?.libraries ?? []
  const found = libraries.filter((library) => (group === '' || library.group === group) && isNamed(library, q))
  const groups = groupNames(libraries)
  return (
    <Stack gap="md">
      <div className={styles.filters}>
        <FilterInput
          label="Filter popular libraries"
          placeholder="Name, repository or package"
          value={q}
          onChange={(text) => show({ q: text })}
          className={styles.filter}
        />
        <Select
          aria-label="Group"
          data={[{ value: '', label: 'All groups' }, ...groups]}
          value={group}
          allowDeselect={false}
          onChange={(value) => show({ group: value ?? '' })}
        />
      </div>
      <Text size="sm" c="dimmed" role="status">
        {data && countOf(found.length, 'library', 'libraries')}
      </Text>
      {!data && <Loader size="sm" aria-label="Loading" />}
      {data && found.length === 0 && (
        <EmptyState picture="search" title="No library matches">
          Add it by the address of its repository instead.
        </EmptyState>
      )}
      {groups.map((name) => (
        <Group key={name} title={name} libraries={found.filter((library) => library.group === name)} />
      ))}
    </Stack>
  )
}

const Group = ({ title, libraries }: { title: string; libraries: readonly KnownLibrary[] }) =>
  libraries.length > 0 && (
    <PageSection title={title}>
      <PopularGroup libraries={libraries} />
    </PageSection>
  )

const isNamed = ({ title, libraryId, packages }: KnownLibrary, q: string): boolean =>
  [title, libraryId, ...packages].some((name) => name.toLowerCase().includes(q.toLowerCase()))

/** The largest group first. */
const groupNames = (libraries: readonly KnownLibrary[]): string[] =>
  [...Map.groupBy(libraries, (library) => library.group)]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([name]) => name)
