import { Alert, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import type { Team } from '../../api/session-query.ts'
import { useTeam } from '../../api/use-team.ts'
import { type Edit, editSelection, idsOf, type Others } from './edit-selection.ts'
import styles from './export.module.css'
import { RunningExports } from './export-progress.tsx'
import { currentId, exportsQuery, selectionQuery, type TeamExports } from './export-queries.ts'
import { LibrarySearch } from './library-search.tsx'
import { LicenseTable } from './license-table.tsx'
import { HowToAsk, NoLicense } from './no-license.tsx'
import { PastExports } from './past-exports.tsx'
import { SavedSelections } from './saved-selections.tsx'
import { SelectionPanel } from './selection-panel.tsx'
import { useExports } from './use-exports.ts'

export function ExportPage() {
  const team = useTeam()
  const exports = useQuery(exportsQuery(team.id))
  const rejected = exports.error instanceof ApiError && exports.error.code === 'forbidden' ? exports.error : undefined
  return (
    <Page
      title="Export Libraries"
      facts="Public libraries in one file, which an on-premise install without internet imports under Add Repository."
    >
      {exports.data ? (
        <>
          {rejected && (
            <Alert color="yellow" role="alert" icon={<CircleAlert size={18} aria-hidden />} title={rejected.message}>
              <HowToAsk team={team} />
            </Alert>
          )}
          <Exports key={team.id} team={team} list={exports.data} />
        </>
      ) : rejected ? (
        <NoLicense team={team} why={rejected.message} />
      ) : exports.error ? (
        <ErrorState error={exports.error} what="The exports cannot be loaded" retry={() => void exports.refetch()} />
      ) : (
        <Skeleton height={420} />
      )}
    </Page>
  )
}

function Exports({ team, list }: { team: Team; list: TeamExports }) {
  const selection = useQuery(selectionQuery(team.id, currentId))
  const { running, start } = useExports(team.id, list)
  const { edit, others, dismissOthers } = useEdits(team.id)
  return (
    <>
      <div className={styles.columns}>
        <LibrarySearch team={team.id} chosen={selection.data ? idsOf(selection.data) : []} edit={edit} />
        <div className={styles.column}>
          {selection.data ? (
            <SelectionPanel team={team} selection={selection.data} {...{ others, dismissOthers, edit, start }} />
          ) : selection.error ? (
            <ErrorState error={selection.error} what="The selection cannot be loaded" retry={() => void selection.refetch()} />
          ) : (
            <Skeleton height={240} />
          )}
          <RunningExports
            team={team.id}
            running={running.filter(({ selection }) => selection === null || selection === currentId)}
          />
        </div>
      </div>
      <SavedSelections team={team.id} {...{ running, edit, start }} />
      <PastExports team={team.id} exports={list.exports} />
      <LicenseTable licenses={list.licenses} />
    </>
  )
}

/** Changes of the current selection, made one after the other, and what others have changed in between. */
function useEdits(team: string) {
  const queryClient = useQueryClient()
  const [others, setOthers] = useState<Others>()
  const query = selectionQuery(team, currentId)
  const edits = useMutation({
    scope: { id: `selection ${team}` },
    mutationFn: async (edit: Edit) => editSelection(team, await queryClient.ensureQueryData(query), edit),
    onSuccess: async ({ saved, others }) => {
      // A response that is on its way is older.
      await queryClient.cancelQueries({ queryKey: query.queryKey })
      queryClient.setQueryData(query.queryKey, saved)
      if (others.added.length + others.removed.length > 0) setOthers(others)
    },
  })
  const edit = async (change: Edit) => void (await edits.mutateAsync(change))
  return { edit, others, dismissOthers: () => setOthers(undefined) }
}
