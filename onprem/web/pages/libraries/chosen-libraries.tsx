import { Button, Text } from '@mantine/core'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import styles from '../../../../shared/web/library/library-table.module.css'
import { showToast } from '../../../../shared/web/toast.tsx'
import { deleteLibraries } from '../../api/delete-library.ts'
import type { LibraryItem } from '../../api/library-query.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { ChooseTags } from './choose-tags.tsx'
import { refreshLibraries } from './refresh-libraries.ts'

const count = (libraries: number): string => countOf(libraries, 'library', 'libraries')

type ChosenLibrariesProps = {
  libraries: readonly LibraryItem[]
  /** The tags of this install. */
  tags: readonly string[]
  clear: () => void
}

/** What can be done with all chosen libraries. */
export function ChosenLibraries({ libraries, tags, clear }: ChosenLibrariesProps) {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const queryClient = useQueryClient()
  const reload = () => Promise.all([['jobs'], ['libraries']].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  const refresh = useMutation({
    mutationFn: () => refreshLibraries(libraries.map(({ id }) => id)),
    onSuccess: (message) => {
      clear()
      void showToast({ message })
    },
    onSettled: reload,
  })
  const imported = libraries.filter((library) => library.imported).length
  return (
    <section className={styles.bar} aria-label="Chosen libraries">
      <div className={styles.chosen}>
        <Text size="sm" fw={500}>
          {count(libraries.length)} chosen
        </Text>
        <Button variant="subtle" color="gray" size="xs" onClick={clear}>
          Clear
        </Button>
      </div>
      <Button variant="default" size="xs" loading={refresh.isPending} onClick={() => refresh.mutate()}>
        Refresh
      </Button>
      <ChooseTags libraries={libraries} tags={tags} />
      {session?.user.role === 'admin' && (
        <ConfirmButton
          size="xs"
          question={`Delete ${count(libraries.length)}?`}
          consequence={`Their content is deleted, and agents no longer find them. ${
            imported === 0
              ? 'You can add the repositories again.'
              : `${count(imported)} imported: only a new export brings them back.`
          }`}
          {...(imported > 0 && { typed: 'delete' })}
          done={undefined}
          onConfirm={async () => {
            try {
              await deleteLibraries(libraries.map(({ id }) => id))
              clear()
            } finally {
              await reload()
            }
          }}
        >
          Delete
        </ConfirmButton>
      )}
    </section>
  )
}
