import { Text, Tooltip } from '@mantine/core'
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react'
import { byMeaning } from '../../../../shared/text/figures.ts'
import type { ActiveJob, LibraryItem } from '../../api/library-query.ts'
import styles from './libraries-page.module.css'

export type ShownJob = Pick<ActiveJob, 'kind' | 'status' | 'statusMessage' | 'meaning'>

const words = { queued: 'Queued', parsing: 'Parsing', finalizing: 'Finishing' }

/** Ready with the share that can be found by meaning, parsing with its progress, or failed with its reason: an icon and a word. */
export function LibraryState({
  library,
  job,
}: {
  library: Pick<LibraryItem, 'state' | 'statusMessage' | 'meaning'>
  job: ShownJob | undefined
}) {
  if (job && job.kind !== 'reindex')
    return (
      <Mark
        icon={<LoaderCircle size={15} className={styles.turning} aria-hidden />}
        color="var(--busy)"
        detail={job.statusMessage}
      >
        {words[job.status]}
      </Mark>
    )
  if (library.state === 'error')
    return (
      <Mark icon={<CircleAlert size={15} aria-hidden />} color="var(--bad)" detail={library.statusMessage}>
        Failed
      </Mark>
    )
  if (library.state !== 'finalized')
    return (
      <Mark icon={<LoaderCircle size={15} aria-hidden />} color="var(--busy)" detail={library.statusMessage}>
        Queued
      </Mark>
    )
  return (
    <Mark icon={<CircleCheck size={15} aria-hidden />} color="var(--good)" detail={byMeaning(job?.meaning ?? library.meaning)}>
      Ready
    </Mark>
  )
}

type MarkProps = { icon: React.ReactNode; color: string; detail?: string | undefined; children: string }

const Mark = ({ icon, color, detail, children }: MarkProps) => (
  <span className={styles.mark}>
    <Text component="span" size="sm" c={color} className={styles.word}>
      {icon} {children}
    </Text>
    {detail !== undefined && (
      <Tooltip label={detail}>
        <Text component="span" size="xs" c="dimmed" lineClamp={2}>
          {detail}
        </Text>
      </Tooltip>
    )}
  </span>
)
