import { Progress, Text } from '@mantine/core'
import { ChevronDown, CircleCheck, CircleDashed, CircleSlash, LoaderCircle, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { byMeaning } from '../../../../shared/text/figures.ts'
import { formatDuration } from '../../../../shared/web/format.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { isUnfinished, type Job } from '../../api/job-queries.ts'
import { JobDetails } from './job-details.tsx'
import { jobWords } from './job-words.ts'
import styles from './queue.module.css'

const states = {
  queued: { word: 'Waiting', icon: CircleDashed, tone: 'idle' },
  parsing: { word: 'Running', icon: LoaderCircle, tone: 'busy' },
  finalizing: { word: 'Finishing', icon: LoaderCircle, tone: 'busy' },
  done: { word: 'Done', icon: CircleCheck, tone: 'good' },
  failed: { word: 'Failed', icon: TriangleAlert, tone: 'bad' },
  cancelled: { word: 'Cancelled', icon: CircleSlash, tone: 'idle' },
} as const

function JobState({ state }: Pick<Job, 'state'>) {
  const { word, icon: Icon, tone } = states[state]
  return (
    <span className={styles.state} data-tone={tone}>
      <Icon size={14} aria-hidden />
      {word}
    </span>
  )
}

type JobRowProps = { job: Job; isOpen: boolean; toggle: () => void }

export function JobRow({ job, isOpen, toggle }: JobRowProps) {
  const details = `job-${job.id}`
  return (
    <li className={styles.job} data-open={isOpen}>
      <div className={styles.row}>
        <JobState state={job.state} />
        <div className={styles.what}>
          <button type="button" className={styles.trigger} aria-expanded={isOpen} aria-controls={details} onClick={toggle}>
            <bdi>{job.project.slice(1)}</bdi>
          </button>
          {/* The details of a failure begin with the same sentence. */}
          {!(isOpen && job.state === 'failed') && <Summary job={job} />}
        </div>
        <div className={styles.kind}>
          {jobWords.kinds[job.kind]} <span className={styles.id}>#{job.id}</span>
        </div>
        <div className={styles.time}>
          <JobElapsed job={job} />
        </div>
        <div className={styles.time}>
          <TimeAgo time={job.finishedAt ?? job.createdAt} />
        </div>
        <ChevronDown size={16} aria-hidden className={styles.chevron} />
      </div>
      {isOpen && (
        <section id={details} aria-label={`Job ${job.id}`} className={styles.details}>
          <JobDetails job={job} />
        </section>
      )}
    </li>
  )
}

function Summary({ job }: { job: Job }) {
  if (isUnfinished(job) && job.state !== 'queued') return <Running job={job} />
  const words =
    job.state === 'queued' ? (job.stage ?? 'Waiting') : job.state === 'failed' ? jobWords.error(job) : jobWords.result(job)
  return (
    <Text size="sm" c="dimmed" dir="auto" className={styles.summary}>
      <MessageText>{words}</MessageText>
    </Text>
  )
}

function Running({ job }: { job: Job }) {
  const percent = job.filesTotal === 0 ? undefined : Math.floor((job.filesDone / job.filesTotal) * 100)
  return (
    <>
      <Text size="sm" c="dimmed" className={styles.summary}>
        <MessageText>{[job.stage, jobWords.progress(job), byMeaning(job.meaning)].filter(Boolean).join(' · ')}</MessageText>
      </Text>
      <Progress.Root mt={4} size="sm">
        <Progress.Section
          value={percent ?? 100}
          animated={percent === undefined}
          striped={percent === undefined}
          aria-label={`Progress of job ${job.id}`}
          aria-valuetext={percent === undefined ? (job.stage ?? 'Running') : `${percent} %`}
        />
      </Progress.Root>
    </>
  )
}

/** The time since a job started. It ticks while the job runs, by the clock of the reader from the server's last answer. */
function JobElapsed({ job }: { job: Job }) {
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
