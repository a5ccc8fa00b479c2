import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { FlaggedPassages } from '../../../../shared/web/content/flagged-passages.tsx'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { JobReport } from '../../../../shared/web/jobs/job-report.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { jobListQuery } from '../../api/job-queries.ts'
import { flaggedQuery } from '../../api/page-list-query.ts'
import styles from './library-page.module.css'

const shownJobs = '20'

/** The report of a library's last job: files read and skipped. Its earlier jobs follow. */
export function ReportsTab({ id }: { id: string }) {
  const jobs = useQuery(jobListQuery({ project: id, pageSize: shownJobs }))
  const flagged = useQuery(flaggedQuery(id.slice(1)))
  if (jobs.isLoadingError)
    return <ErrorState error={jobs.error} what="The reports cannot be loaded" retry={() => void jobs.refetch()} />
  if (!jobs.data) return <Skeleton height={240} />
  const last = jobs.data.jobs.find(({ report }) => report !== null)
  return (
    <Stack gap="lg">
      {last?.report ? (
        <>
          <Text size="sm" c="dimmed">
            Job {last.id}, <TimeAgo time={last.finishedAt ?? last.createdAt} />
          </Text>
          <JobReport report={last.report} kind={last.kind} />
        </>
      ) : (
        <EmptyState title="No report yet">When a job of this library has ended, its report appears here.</EmptyState>
      )}
      <FlaggedPassages
        list={flagged.data}
        link={(path) => (
          <TextLink className={styles.inText} to="/libraries/$" params={{ _splat: id.slice(1) }} search={{ page: path }}>
            {path}
          </TextLink>
        )}
      />
      {jobs.data.jobs.length > 0 && (
        <div>
          <Title order={2} size="h3" mb="xs">
            All jobs
          </Title>
          {jobs.data.jobs.map((job) => (
            <Text size="sm" key={job.id}>
              <TextLink className={styles.inText} to="/queue" search={{ job: job.id }}>
                Job {job.id}
              </TextLink>{' '}
              {job.kind}, {job.state}, <TimeAgo time={job.createdAt} />
            </Text>
          ))}
        </div>
      )}
    </Stack>
  )
}
