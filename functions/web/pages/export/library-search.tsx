import { Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Check, Plus } from 'lucide-react'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FilterInput } from '../../../../shared/web/filter-input.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { countOf, formatBytes } from '../../../../shared/web/format.ts'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import type { Edit } from './edit-selection.ts'
import styles from './export.module.css'
import { type ExportableLibrary, exportableQuery } from './export-queries.ts'

type LibrarySearchProps = { team: string; chosen: readonly string[]; edit: (edit: Edit) => Promise<void> }

/** Finds public libraries by name and adds them to the selection. */
export function LibrarySearch({ team, chosen, edit }: LibrarySearchProps) {
  const { q = '' } = useSearch({ from: '/signed-in/frame/teamspaces/$team/export' })
  const navigate = useNavigate({ from: '/teamspaces/$team/export' })
  const found = useQuery(exportableQuery(team, q))
  return (
    <section aria-labelledby="search-title" className={styles.search}>
      <Title order={2} id="search-title">
        Find libraries
      </Title>
      <FilterInput
        label="Search by name"
        placeholder="Name, for example react"
        value={q}
        onChange={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })}
      />
      {q === '' ? (
        <Text size="sm" c="dimmed">
          Search for public libraries by name. What you add stays selected when you search for something else.
        </Text>
      ) : found.isError ? (
        <ErrorState error={found.error} what="The search failed" retry={() => void found.refetch()} />
      ) : found.data === undefined ? (
        <SearchSkeleton />
      ) : found.data.libraries.length === 0 ? (
        <Text size="sm">No public library with content matches “{q}”.</Text>
      ) : (
        <ul className={styles.found} aria-label="Found libraries" aria-busy={found.isPlaceholderData}>
          {found.data.libraries.map((library) => (
            <FoundLibrary key={library.id} library={library} isChosen={chosen.includes(library.id)} edit={edit} />
          ))}
        </ul>
      )}
    </section>
  )
}

type FoundLibraryProps = { library: ExportableLibrary; isChosen: boolean; edit: (edit: Edit) => Promise<void> }

function FoundLibrary({ library, isChosen, edit }: FoundLibraryProps) {
  const { id, title, description, versions, snippets, sizeBytes, lastUpdateDate } = library
  const add = useMutation({
    meta: { done: 'Library added to the selection.' },
    mutationFn: () => edit((ids) => (ids.includes(id) ? ids : [...ids, id])),
  })
  return (
    <li className={styles.library}>
      <div className={styles.libraryText}>
        <Text component="bdi" fw={500}>
          {title}
        </Text>{' '}
        <bdi className={styles.id}>{id}</bdi>
        {description !== '' && (
          <Text size="sm" c="dimmed" lineClamp={1} dir="auto">
            {description}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {countOf(snippets, 'snippet')} · {formatBytes(sizeBytes)}
          {versions > 1 && ` · ${countOf(versions, 'version')}`}
          {lastUpdateDate !== '' && (
            <>
              {' · updated '}
              <TimeAgo time={lastUpdateDate} />
            </>
          )}
        </Text>
        <FormError error={isChosen ? null : add.error} fields={[]} />
      </div>
      <Button
        size="xs"
        variant="default"
        aria-label={isChosen ? `Added: ${id}` : `Add ${id}`}
        leftSection={isChosen ? <Check size={14} aria-hidden /> : <Plus size={14} aria-hidden />}
        disabled={isChosen}
        loading={add.isPending}
        onClick={() => add.mutate()}
      >
        {isChosen ? 'Added' : 'Add'}
      </Button>
    </li>
  )
}

const SearchSkeleton = () => (
  <Stack gap="xs">
    {[1, 2, 3].map((row) => (
      <Skeleton key={row} height={56} />
    ))}
  </Stack>
)
