import { Button, Text } from '@mantine/core'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import styles from '../../../../shared/web/library/library-table.module.css'
import { showToast } from '../../../../shared/web/toast.tsx'
import { api } from '../../api/api.ts'
import { deleteLibraries } from '../../api/delete-library.ts'
import type { LibraryItem } from '../../api/library-query.ts'
import { sessionQuery } from '../../api/session-query.ts'

const count = (libraries: number): string => countOf(libraries, 'library', 'libraries')

/** What can be done with all chosen libraries. */
export function ChosenLibraries({ libraries, clear }: { libraries: readonly LibraryItem[]; clear: () => void }) {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const queryClient = useQueryClient()
  const reload = () => Promise.all([['jobs'], ['libraries']].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  const refresh = useMutation({
    mutationFn: () => refreshAll(libraries.map(({ id }) => id)),
    onSuccess: (message) => {
      clear()
      void showToast({ message })
    },
    onSettled: reload,
  })
  const imported = libraries.filter((library) => library.imported).length
  return (
    <section className={styles.bar} aria-label="Chosen libraries">
      <Text size="sm" fw={500}>
        {count(libraries.length)} chosen
      </Text>
      <Button variant="default" size="xs" loading={refresh.isPending} onClick={() => refresh.mutate()}>
        Refresh
      </Button>
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
      <Button variant="subtle" color="gray" size="xs" onClick={clear}>
        Clear
      </Button>
    </section>
  )
}

/** Queues a refresh of each library, and returns how many are queued and why the first other one is not. */
async function refreshAll(ids: readonly string[]): Promise<string> {
  let queued = 0
  let reason = ''
  for (const id of ids)
    try {
      await answerOf(api.projects[':id{.+}'].refresh.$post({ param: { id: id.slice(1) } }))
      queued++
    } catch (error) {
      reason ||= (error as Error).message
    }
  return [`${count(queued)} queued.`, reason].filter(Boolean).join(' ')
}
