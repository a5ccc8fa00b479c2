import { Button, Group, Skeleton, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { deleteLater } from '../../api/delete-later.ts'
import { type Edit, idsOf } from './edit-selection.ts'
import styles from './export.module.css'
import { RunningExports } from './export-progress.tsx'
import { type ListedSelection, type Selection, selectionItem, selectionQuery, selectionsQuery } from './export-queries.ts'
import { LibraryChips, markOf } from './library-chips.tsx'
import type { RunningExport } from './use-exports.ts'

type SavedSelectionsProps = {
  team: string
  running: readonly RunningExport[]
  edit: (edit: Edit) => Promise<void>
  start: (selection: string) => Promise<void>
}

/** Rows that are drawn at first: each reads the changes of its libraries. */
const firstRows = 10

/** Selections with a name, each with what has changed since its last zip. */
export function SavedSelections({ team, ...actions }: SavedSelectionsProps) {
  const saved = useQuery(selectionsQuery(team))
  const [isWhole, setIsWhole] = useState(false)
  const rows = isWhole ? saved.data : saved.data?.slice(0, firstRows)
  return (
    <section aria-labelledby="saved-title">
      <Title order={2} id="saved-title" mb="xs">
        Saved selections
      </Title>
      {saved.isLoadingError ? (
        <ErrorState error={saved.error} what="The saved selections cannot be loaded" retry={() => void saved.refetch()} />
      ) : rows === undefined ? (
        <Skeleton height={64} />
      ) : rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet. Save a selection under a name to build it again later with the content of that day.
        </Text>
      ) : (
        <ul className={styles.rows}>
          {rows.map((selection) => (
            <SavedSelection key={selection.id} team={team} selection={selection} {...actions} />
          ))}
        </ul>
      )}
      {rows && saved.data && rows.length < saved.data.length && (
        <Button variant="default" size="xs" mt="xs" onClick={() => setIsWhole(true)}>
          Show all {saved.data.length}
        </Button>
      )}
    </section>
  )
}

function SavedSelection({ team, selection, running, edit, start }: SavedSelectionsProps & { selection: ListedSelection }) {
  const { id, name, builtAt } = selection
  const details = useQuery(selectionQuery(team, id))
  const [isOpen, setIsOpen] = useState(false)
  const build = useMutation({ meta: { done: 'The export is being built.' }, mutationFn: () => start(id) })
  const add = useMutation({
    meta: { done: 'Libraries added to the selection.' },
    mutationFn: () => edit((ids) => [...new Set([...ids, ...(details.data ? idsOf(details.data) : [])])]),
  })
  const remove = () =>
    deleteLater({
      item: selectionItem(team, id),
      name: `The selection ${name}`,
      becomes: 'deleted',
      shown: selectionsQuery(team).queryKey,
      send: (init) => answerOf(api.teamspaces[':team'].selections[':id'].$delete({ param: { team, id } }, { init })),
    })
  return (
    <li className={styles.row}>
      <Group justify="space-between" gap="xs">
        <div className={styles.rowText}>
          <Text component="bdi" fw={500}>
            {name}
          </Text>
          <Text size="sm" c="dimmed">
            {countOf(selection.libraries, 'library', 'libraries')}
            {builtAt === null ? (
              ', never built'
            ) : (
              <>
                , built <TimeAgo time={builtAt} />
              </>
            )}
            {details.data && changesOf(details.data)}
          </Text>
        </div>
        <Group gap="xs">
          <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Hide libraries' : 'Show libraries'}
          </Button>
          <Button size="xs" variant="default" disabled={!details.data} loading={add.isPending} onClick={() => add.mutate()}>
            Add to selection
          </Button>
          <ConfirmButton
            size="xs"
            question={`Delete the selection ${name}?`}
            consequence="Its list of libraries is deleted for all members. Zips that were built from it stay."
            done={undefined}
            onConfirm={remove}
          >
            Delete
          </ConfirmButton>
          <Button size="xs" loading={build.isPending} onClick={() => build.mutate()}>
            {builtAt === null ? 'Build' : 'Build again'}
          </Button>
        </Group>
      </Group>
      <FormError error={build.error ?? add.error} fields={[]} />
      <RunningExports team={team} running={running.filter((each) => each.selection === id)} />
      {isOpen &&
        (details.isError ? (
          <ErrorState error={details.error} retry={() => void details.refetch()} />
        ) : details.data ? (
          <LibraryChips label={`Libraries of ${name}`} selection={details.data} />
        ) : (
          <Skeleton height={32} />
        ))}
    </li>
  )
}

/** `, 2 changed, 1 missing`: what another zip would hold that the last one did not. */
function changesOf({ libraries, removedSince, builtAt }: Selection): string {
  const marks = libraries.map(markOf)
  const words = (['changed', 'new', 'missing'] as const).map((mark) => [marks.filter((each) => each === mark).length, mark])
  const counted = [...words, [removedSince.length, 'removed']].filter(([count]) => count !== 0)
  if (counted.length > 0) return `, ${counted.map((words) => words.join(' ')).join(', ')}`
  return builtAt === null ? '' : ', nothing changed since'
}
