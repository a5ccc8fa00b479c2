import { Skeleton, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { LinkButton, TextLink } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { libraryPath } from '../../api/library-path.ts'
import { jobsQuery } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { JobProgress } from './job-progress.tsx'
import styles from './jobs-page.module.css'

/** The unfinished jobs of the teamspace's libraries. */
export function JobsPage() {
  const { id: team } = useTeam()
  const jobs = useQuery(jobsQuery(team))
  const facts =
    jobs.data &&
    (jobs.data.length === 0 ? 'Nothing is running or waiting' : `${countOf(jobs.data.length, 'job')} running or waiting`)
  return (
    <Page title="Jobs" facts={facts ?? 'Jobs read repositories and build the index'}>
      <VisuallyHidden role="status">{facts}</VisuallyHidden>
      {jobs.isLoadingError ? (
        <ErrorState error={jobs.error} what="The jobs cannot be listed" retry={() => void jobs.refetch()} />
      ) : !jobs.data ? (
        <Skeleton height={160} />
      ) : jobs.data.length === 0 ? (
        <EmptyState
          title="No job is running"
          action={
            <LinkButton to="/teamspaces/$team/libraries" params={{ team }} variant="default">
              Show libraries
            </LinkButton>
          }
        >
          A repository that is added or refreshed is read by a job, whose progress appears here. Its result is shown at its
          library.
        </EmptyState>
      ) : (
        <ul className={styles.list} aria-label="Jobs">
          {jobs.data.map((job) => (
            <li key={job.id} className={styles.job}>
              <TextLink
                to="/teamspaces/$team/libraries/$owner/$repo"
                params={{ team, ...libraryPath(job.libraryId) }}
                search={{ tab: 'jobs' }}
                fw={500}
                c="var(--ink)"
                className={styles.name}
              >
                <bdi>{job.libraryId.slice(1)}</bdi>
              </TextLink>
              <JobProgress job={job} library={job.libraryId} />
            </li>
          ))}
        </ul>
      )}
    </Page>
  )
}
