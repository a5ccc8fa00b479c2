import { timeAgo } from '../../../../shared/time/time-ago.ts'
import { StateMark } from '../../../../shared/web/library/state-mark.tsx'
import type { TeamLibrary } from '../../api/library-queries.ts'
import { progressWords } from '../jobs/job-words.ts'

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

type LibraryStateProps = {
  library: Pick<TeamLibrary, 'state' | 'job' | 'lastError' | 'totalSnippets' | 'lastCheckedAt' | 'checkError'>
}

/** Ready with the time of its last check, running with its progress, or failed with its reason. */
export function LibraryState({ library }: LibraryStateProps) {
  const { state, job, lastError, totalSnippets, lastCheckedAt, checkError } = library
  if (job)
    return (
      <StateMark kind={job.state === 'running' ? 'running' : 'waiting'} detail={progressWords(job)}>
        {job.state === 'queued' ? 'Queued' : totalSnippets > 0 ? 'Refreshing' : 'Adding'}
      </StateMark>
    )
  if (state === 'error')
    return (
      <StateMark kind="bad" detail={lastError ?? undefined}>
        Failed
      </StateMark>
    )
  if (state !== 'finalized') return <StateMark kind="waiting">Queued</StateMark>
  if (lastError !== null)
    return (
      <StateMark kind="bad" detail={`Old content is served. ${lastError}`}>
        Refresh failed
      </StateMark>
    )
  const checked = lastCheckedAt && `Checked ${timeAgo(Date.parse(lastCheckedAt), Date.now(), relative)}`
  if (checkError !== undefined)
    return (
      <StateMark kind="old" detail={[checkError, checked].filter(Boolean).join(' ')}>
        Check failed
      </StateMark>
    )
  return (
    <StateMark kind="good" detail={checked}>
      Ready
    </StateMark>
  )
}
