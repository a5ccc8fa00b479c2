import { ActionIcon, Tooltip } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { countOf, formatBytes } from '../../../../shared/web/format.ts'
import styles from './export.module.css'
import type { Selection } from './export-queries.ts'

type Library = Selection['libraries'][number]
type LibraryChipsProps = {
  label: string
  selection: Pick<Selection, 'libraries' | 'removedSince'>
  /** Without it, the chips have no button. */
  remove?: (id: string) => Promise<void>
}

/** The libraries of a selection, each with the word that says what has changed since the last zip. */
export const LibraryChips = ({ label, selection: { libraries, removedSince }, remove }: LibraryChipsProps) => (
  <ul className={styles.chips} aria-label={label}>
    {libraries.map((library) => (
      <Chip key={library.id} library={library} remove={remove && (() => remove(library.id))} />
    ))}
    {removedSince.map((id) => (
      <li key={`removed ${id}`}>
        <div className={styles.chip} data-mark="removed">
          <bdi>{id}</bdi> <span className={styles.mark}>removed</span>
        </div>
      </li>
    ))}
  </ul>
)

function Chip({ library, remove }: { library: Library; remove: (() => Promise<void>) | undefined }) {
  const removal = useMutation({ meta: { done: 'Library removed from the selection.' }, mutationFn: async () => remove?.() })
  const mark = markOf(library)
  return (
    <li>
      <div className={styles.chip} data-mark={mark}>
        <Tooltip label={factsOf(library)}>
          <bdi>{library.id}</bdi>
        </Tooltip>
        {mark && <span className={styles.mark}>{mark}</span>}
        {remove && (
          <ActionIcon size={20} aria-label={`Remove ${library.id}`} loading={removal.isPending} onClick={() => removal.mutate()}>
            <X size={14} aria-hidden />
          </ActionIcon>
        )}
      </div>
      <FormError error={removal.error} fields={[]} />
    </li>
  )
}

/** The word of a chip. Undefined if the last zip has the same content, or if there is none. */
export function markOf({ isMissing, change }: Library): 'missing' | 'new' | 'changed' | undefined {
  if (isMissing) return 'missing'
  return change === 'new' || change === 'changed' ? change : undefined
}

const factsOf = ({ title, snippets, sizeBytes, isMissing }: Library): string =>
  isMissing ? 'No public library with content' : `${title}: ${countOf(snippets, 'snippet')}, ${formatBytes(sizeBytes)}`
