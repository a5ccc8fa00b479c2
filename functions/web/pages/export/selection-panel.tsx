import { Alert, Button, Group, Progress, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download, Info } from 'lucide-react'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { type Edit, idsOf, type Others } from './edit-selection.ts'
import styles from './export.module.css'
import { currentId, type Selection } from './export-queries.ts'
import { LibraryChips, markOf } from './library-chips.tsx'
import { SaveSelection } from './save-selection.tsx'

type SelectionPanelProps = {
  team: { id: string; name: string }
  selection: Selection
  /** What others have changed in the selection. */
  others: Others | undefined
  dismissOthers: () => void
  edit: (edit: Edit) => Promise<void>
  start: (selection: string) => Promise<void>
}

/** The selection that the members of a teamspace edit together, its size, and the button that downloads it. */
export function SelectionPanel({ team, selection, others, dismissOthers, edit, start }: SelectionPanelProps) {
  const count = selection.libraries.length
  return (
    <section aria-labelledby="selection-title" className={styles.selection}>
      <Group justify="space-between" gap="xs">
        <Title order={2} id="selection-title">
          Selection
        </Title>
        <Text size="sm" className="figure" role="status">
          {count} of {selection.limits.libraries}
        </Text>
      </Group>
      {others && <OthersNotice others={others} dismiss={dismissOthers} />}
      {count === 0 && selection.removedSince.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing is selected. Add libraries from the search. All members of {team.name} edit this selection.
        </Text>
      ) : (
        <LibraryChips
          label="Selected libraries"
          selection={selection}
          remove={(id) => edit((ids) => ids.filter((each) => each !== id))}
        />
      )}
      <SinceLastZip selection={selection} />
      {selection.libraries.some(({ isMissing }) => isMissing) && (
        <Text size="sm" c="var(--bad)">
          A missing library is no longer public or has no content. Remove it to download the others.
        </Text>
      )}
      <Size selection={selection} />
      <Group gap="xs">
        <DownloadButton key={selection.etag} isEmpty={count === 0} start={start} />
        {count > 0 && (
          <ConfirmButton
            question="Remove all libraries from the selection?"
            consequence="All members of the teamspace edit this selection. Saved selections stay."
            done="All libraries removed from the selection."
            onConfirm={() => edit((ids) => ids.filter((id) => !idsOf(selection).includes(id)))}
          >
            Remove all
          </ConfirmButton>
        )}
      </Group>
      {count > 0 && <SaveSelection team={team.id} libraries={idsOf(selection)} />}
    </section>
  )
}

/** Mounted anew for each state of the selection, so that an error disappears with what caused it. */
function DownloadButton({ isEmpty, start }: { isEmpty: boolean; start: (selection: string) => Promise<void> }) {
  const download = useMutation({ meta: { done: 'The export is being built.' }, mutationFn: () => start(currentId) })
  return (
    <>
      <Button
        leftSection={<Download size={16} aria-hidden />}
        disabled={isEmpty}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        Download selected
      </Button>
      <FormError error={download.error} fields={[]} />
    </>
  )
}

const bytesPerMb = 2 ** 20

function Size({ selection: { estimatedZipBytes, limits } }: { selection: Selection }) {
  const share = estimatedZipBytes / limits.zipBytes
  return (
    <div>
      <Progress value={Math.min(100, share * 100)} color={share > 1 ? 'red' : undefined} aria-label="Estimated size of the zip" />
      <Text size="sm" mt={4}>
        {sizeText(estimatedZipBytes)} of {limits.zipBytes / bytesPerMb} MB
        {share > 1 && '. An install imports no larger file: remove libraries.'}
      </Text>
    </div>
  )
}

function sizeText(bytes: number): string {
  const size = bytes / bytesPerMb
  if (size > 0 && size < 0.1) return 'Less than 0.1'
  return `About ${size.toLocaleString(undefined, { maximumFractionDigits: 1 })}`
}

/** How the selection compares with its last zip. */
const SinceLastZip = ({ selection: { libraries, removedSince, builtAt } }: { selection: Selection }) =>
  builtAt !== null && (
    <Text size="sm" c="dimmed">
      {removedSince.length > 0 || libraries.some(markOf) ? 'The marks compare with' : 'Unchanged since'} the last zip, built{' '}
      <TimeAgo time={builtAt} />.
    </Text>
  )

const OthersNotice = ({ others: { added, removed }, dismiss }: { others: Others; dismiss: () => void }) => (
  <Alert
    color="yellow"
    role="status"
    icon={<Info size={18} aria-hidden />}
    title="Changed in another tab or by another member"
    withCloseButton
    closeButtonLabel="Dismiss"
    onClose={dismiss}
  >
    {added.length > 0 && `Added: ${added.join(', ')}. `}
    {removed.length > 0 && `Removed: ${removed.join(', ')}. `}
    Your change was made over theirs.
  </Alert>
)
