import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { isUnfinished, jobQuery } from '../../api/job-queries.ts'
import { jobWords } from '../queue/job-words.ts'

/** The progress of the job that adds a version, or the reason of its failure. */
export function VersionJob({ id }: { id: number }) {
  const { data: job } = useQuery(jobQuery(id))
  if (!job || isUnfinished(job))
    return (
      <Text size="sm" role="status">
        The refresh is queued as job {id}. The version is listed when it has been read.
      </Text>
    )
  if (job.state === 'failed')
    return (
      <Text size="sm" c="var(--bad)" role="alert" dir="auto">
        {jobWords.error(job)}
      </Text>
    )
  return (
    <Text size="sm" role="status">
      {job.state === 'done' ? `Job ${id} is done.` : `Job ${id} was cancelled.`}
    </Text>
  )
}
