import { useEffect, useState } from 'react'
import { formatDuration } from '../../../../shared/web/format-duration.ts'
import { isUnfinished, type Job } from '../../api/job-queries.ts'

/** The time since a job started. It ticks while the job runs, by the clock of the reader from the server's last answer. */
export function JobElapsed({ job }: { job: Job }) {
  const { elapsedMs } = job
  const isTicking = isUnfinished(job) && job.state !== 'queued' && elapsedMs !== null
  const [shown, setShown] = useState(elapsedMs ?? 0)
  useEffect(() => {
    const answeredAtMs = performance.now()
    setShown(elapsedMs ?? 0)
    if (!isTicking) return
    const timer = setInterval(() => setShown((elapsedMs ?? 0) + performance.now() - answeredAtMs), 1000)
    return () => clearInterval(timer)
  }, [elapsedMs, isTicking])
  if (elapsedMs === null) return null
  return (
    <span className="figure">
      {isTicking && shown < 1000 ? '0 s' : formatDuration(isTicking ? Math.floor(shown / 1000) * 1000 : shown)}
    </span>
  )
}
