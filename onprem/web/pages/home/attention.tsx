import { Button, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Clock, LoaderCircle, TriangleAlert } from 'lucide-react'
import { countOf, formatCount } from '../../../../shared/web/format.ts'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { PageSection } from '../../../../shared/web/page-section.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { showToast } from '../../../../shared/web/toast.tsx'
import { type Job, jobListQuery, runningJobsQuery } from '../../api/job-queries.ts'
import { type LibraryItem, libraryListQuery } from '../../api/library-query.ts'
import { refreshLibraries } from '../libraries/refresh-libraries.ts'
import { jobWords } from '../queue/job-words.ts'
import styles from './attention.module.css'

const maxShown = 5
const maxNamed = 3
/** Imported libraries have no repository to read again. */
const staleQuery = libraryListQuery({ stale: 'true', origin: 'parsed', sort: 'updated', pageSize: '200' })
const endedQuery = jobListQuery({ state: 'done,failed', pageSize: '100' })

/** The jobs that run, the libraries whose last job failed, and those that were not checked for long. Nothing is shown if there are none. */
export function Attention() {
  const { data: running } = useQuery(runningJobsQuery)
  const { data: ended } = useQuery(endedQuery)
  const jobs = running?.jobs.filter(({ state }) => state !== 'queued') ?? []
  const failed = lastFailures(ended?.jobs ?? [])
  const { data: stale } = useQuery(staleQuery)
  const staleCount = stale?.total ?? 0
  const waiting = (running?.unfinished ?? 0) - jobs.length
  if (jobs.length + failed.length + staleCount === 0) return null
  return (
    <PageSection
      title={failed.length + staleCount > 0 ? 'Needs attention' : 'Running now'}
      action={<TextLink to="/queue">Parse Queue</TextLink>}
    >
      <ul className={styles.list}>
        {jobs.slice(0, maxShown).map((job) => (
          <Row key={job.id} job={job} text={[job.stage, jobWords.progress(job)].filter(Boolean).join(' · ')} />
        ))}
        {failed.slice(0, maxShown).map((job) => (
          <Row key={job.id} job={job} text={jobWords.error(job)} />
        ))}
        {stale !== undefined && staleCount > 0 && <StaleRow stale={stale} />}
      </ul>
      <Text size="xs" c="dimmed">
        {[
          waiting > 0 && `${formatCount(waiting)} more are waiting`,
          failed.length > maxShown && moreFailed(failed.length - maxShown),
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </PageSection>
  )
}

const moreFailed = (more: number): string => `${formatCount(more)} more failed`

/** The last jobs of libraries whose last job failed. `jobs`: the newest first. */
function lastFailures(jobs: readonly Job[]): Job[] {
  const last = new Map<string, Job>()
  for (const job of jobs) if (!last.has(job.project)) last.set(job.project, job)
  return [...last.values()].filter(({ state }) => state === 'failed')
}

function Row({ job, text }: { job: Job; text: string }) {
  const hasFailed = job.state === 'failed'
  const Icon = hasFailed ? TriangleAlert : LoaderCircle
  return (
    <li className={styles.row}>
      <span className={styles.state} data-failed={hasFailed}>
        <Icon size={14} aria-hidden />
        {hasFailed ? 'Failed' : 'Running'}
      </span>
      <TextLink to="/queue" search={{ job: job.id }} className={styles.name}>
        <bdi>{job.project.slice(1)}</bdi>
      </TextLink>
      <Text size="sm" c="dimmed" dir="auto" className={styles.text}>
        <MessageText>{text}</MessageText>
      </Text>
      <span className={styles.time}>
        <TimeAgo time={job.finishedAt ?? job.createdAt} />
      </span>
    </li>
  )
}

/** The stale libraries in one row, with a button that reads all of them again. */
function StaleRow({ stale: { projects, total } }: { stale: { projects: readonly LibraryItem[]; total: number } }) {
  const queryClient = useQueryClient()
  const refresh = useMutation({
    mutationFn: () => refreshLibraries(projects.map(({ id }) => id)),
    onSuccess: (message) => void showToast({ message }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['jobs'] }),
  })
  const names = projects.slice(0, maxNamed).map(({ title }) => title)
  const more = total - names.length
  return (
    <li className={styles.row}>
      <span className={styles.state} data-stale>
        <Clock size={14} aria-hidden />
        Stale
      </span>
      <TextLink to="/libraries" search={{ state: 'stale', origin: 'parsed' }} className={styles.name}>
        {countOf(total, 'library', 'libraries')}
      </TextLink>
      <Text size="sm" c="dimmed" dir="auto" className={styles.text}>
        Not checked for long: {names.join(', ')}
        {more > 0 && ` and ${formatCount(more)} more`}
      </Text>
      <Button
        className={styles.action ?? ''}
        variant="default"
        size="xs"
        loading={refresh.isPending}
        onClick={() => refresh.mutate()}
      >
        {total > projects.length ? `Refresh ${formatCount(projects.length)}` : 'Refresh all'}
      </Button>
    </li>
  )
}
