import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { activeJobsQuery, libraryListQuery } from '../../api/library-query.ts'
import { AddRepository } from '../add/add-repository.tsx'
import { LibraryState } from '../libraries/library-state.tsx'
import { FailedLibrary } from './failed-library.tsx'
import styles from './setup-page.module.css'

const shown = { sort: 'updated', order: 'desc', pageSize: '5' } as const

/** The form until there is a library, then how far it is. */
export function LibraryStep() {
  const libraries = useQuery(libraryListQuery(shown))
  const { data: active = {} } = useQuery(activeJobsQuery)
  const [addsMore, setAddsMore] = useState(false)
  if (!libraries.data) return <Skeleton height={240} />
  const { projects } = libraries.data
  const [newest] = projects
  if (!newest || addsMore) return <AddRepository onAdded={() => setAddsMore(false)} />
  return (
    <Stack gap="sm">
      <ul className={styles.libraries}>
        {projects.map((library) => (
          <li key={library.id}>
            <Text size="sm" fw={500}>
              <bdi>{library.title}</bdi>
            </Text>
            {library.state === 'error' && !active[library.id] ? (
              <FailedLibrary library={library} />
            ) : (
              <LibraryState library={library} job={active[library.id]} />
            )}
          </li>
        ))}
      </ul>
      {active[newest.id] && (
        <Text size="sm" c="dimmed">
          You can continue while Carrel reads it. A library can be asked as soon as it is ready.
        </Text>
      )}
      <Group>
        <Anchor component="button" type="button" size="sm" onClick={() => setAddsMore(true)}>
          Add another one
        </Anchor>
      </Group>
    </Stack>
  )
}
