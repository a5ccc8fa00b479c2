import { byMeaning } from '../../../../shared/text/figures.ts'
import { timeAgo } from '../../../../shared/time/time-ago.ts'
import { StateMark } from '../../../../shared/web/library/state-mark.tsx'
import type { ActiveJob, LibraryItem } from '../../api/library-query.ts'
import { ownWords } from './own-words.ts'

export type ShownJob = Pick<ActiveJob, 'kind' | 'status' | 'statusMessage' | 'meaning'>

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

type LibraryStateProps = {
  library: Pick<LibraryItem, 'state' | 'statusMessage' | 'meaning' | 'lastCheckedAt' | 'checkError' | 'stale'>
  job: ShownJob | undefined
}

/** Ready, or stale if it was not compared with its source for long, with the share that can be found by meaning, adding or refreshing with its progress, or failed with its reason. */
export function LibraryState({ library, job }: LibraryStateProps) {
  if (job && job.kind !== 'reindex')
    return (
      <StateMark kind="running" detail={job.statusMessage}>
        {jobWord(job, library)}
      </StateMark>
    )
  if (library.state === 'error')
    return (
      <StateMark kind="bad" detail={ownWords(library)}>
        Failed
      </StateMark>
    )
  if (library.state !== 'finalized')
    return (
      <StateMark kind="waiting" detail={ownWords(library)}>
        Queued
      </StateMark>
    )
  if (library.stale)
    return (
      <StateMark kind="old" detail={library.checkError ?? checkedText(library.lastCheckedAt)}>
        Stale
      </StateMark>
    )
  return (
    <StateMark kind="good" detail={byMeaning(job?.meaning ?? library.meaning)}>
      Ready
    </StateMark>
  )
}

const checkedText = (time: string | undefined): string | undefined =>
  time && `Checked ${timeAgo(Date.parse(time), Date.now(), relative)}`

const words = { queued: 'Queued', finalizing: 'Finishing' }

const jobWord = ({ status }: ShownJob, { state }: LibraryStateProps['library']): string =>
  status !== 'parsing' ? words[status] : state === 'finalized' ? 'Refreshing' : 'Adding'
