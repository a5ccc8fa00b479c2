import { Button, Text } from '@mantine/core'
import { useAddMany } from '../../../../shared/web/add/use-add-many.ts'
import { DayAgo } from '../../../../shared/web/day-ago.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { type KnownLibrary, queueSource } from './add-queries.ts'
import styles from './popular-libraries.module.css'

/** The libraries of a group, side by side. */
export const PopularGroup = ({ libraries }: { libraries: readonly KnownLibrary[] }) => (
  <ul className={styles.popular}>
    {libraries.map((library) => (
      <Entry key={library.libraryId} library={library} />
    ))}
  </ul>
)

function Entry({ library }: { library: KnownLibrary }) {
  const { title, libraryId, folders, checked } = library
  return (
    <li className={styles.entry}>
      <div>
        {title}{' '}
        <Text span size="xs" c="dimmed">
          {checked === null ? 'unchecked' : <>checked {<DayAgo day={checked} />}</>}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {[libraryId.slice(1), ...folders].join(' · ')}
        </Text>
      </div>
      <AddButton library={library} />
    </li>
  )
}

function AddButton({ library }: { library: KnownLibrary }) {
  const { libraryId, state, title } = library
  const { add, results } = useAddMany((source: KnownLibrary) => queueSource(source))
  const result = results.get(libraryId)
  if (state === 'present')
    return (
      <LinkButton
        to="/libraries/$"
        params={{ _splat: libraryId.slice(1) }}
        variant="subtle"
        size="xs"
        aria-label={`Show ${title}`}
      >
        Show
      </LinkButton>
    )
  if (state === 'queued' || (result && 'done' in result))
    return (
      <Text size="sm" c="dimmed" role="status">
        Queued
      </Text>
    )
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={add.isPending}
        aria-label={`Add ${title}`}
        onClick={() => add.mutate([library])}
      >
        Add
      </Button>
      {result && (
        <Text size="xs" c="var(--bad)" role="alert" className={styles.failed}>
          {result.problem}
        </Text>
      )}
    </>
  )
}
