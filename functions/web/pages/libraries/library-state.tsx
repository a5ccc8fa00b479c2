import { StateMark } from '../../../../shared/web/library/state-mark.tsx'
import type { TeamLibrary } from '../../api/library-queries.ts'
import { progressWords } from '../jobs/job-words.ts'

/** Ready, running with its progress, or failed with its reason. */
export function LibraryState({ library }: { library: Pick<TeamLibrary, 'state' | 'job' | 'lastError' | 'totalSnippets'> }) {
  const { state, job, lastError, totalSnippets } = library
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
  return <StateMark kind="good">Ready</StateMark>
}
