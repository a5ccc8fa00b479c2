import { Alert, Button, Group, Progress, Text } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Info } from 'lucide-react'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { countOf } from '../../../../shared/web/format.ts'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { api } from '../../api/api.ts'
import { type JobList, jobListQuery } from '../../api/job-queries.ts'

/** The key is below ['settings'], so a change of a setting reads it again. So does the end of the jobs. */
const reindexQuery = (unfinished: number) =>
  queryOptions({
    queryKey: ['settings', 'reindex', unfinished],
    queryFn: () => answerOf(api.reindex.$get()),
    gcTime: 0,
  })

const unfinishedQuery = jobListQuery({ kind: 'reindex', state: 'queued,parsing,finalizing', pageSize: '10' })

/** Offers to index libraries again whose vectors are from another model or incomplete, and shows how far that is. */
export function ReindexOffer() {
  const queryClient = useQueryClient()
  const jobs = useQuery(unfinishedQuery).data
  const unfinished = jobs?.total ?? 0
  const { data } = useQuery(reindexQuery(unfinished))
  const reindex = useMutation({
    meta: { done: 'The libraries are in the Parse Queue.' },
    mutationFn: () => answerOf(api.reindex.$post()),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['jobs'] })
      // The jobs may have ended already, and the answer from before them must not be shown again.
      await queryClient.resetQueries({ queryKey: ['settings', 'reindex'] })
    },
  })
  if (jobs && unfinished > 0) return <Indexing jobs={jobs} />
  if (!data || data.needed === 0) return null
  return (
    <Alert
      color="gray"
      icon={<Info size={18} aria-hidden />}
      title={countOf(data.needed, 'library has other vectors, or lacks some', 'libraries have other vectors, or lack some')}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          They are served with the vectors that they have until they are indexed again. That embeds up to{' '}
          {countOf(data.texts, 'text')}, {countOf(data.tokens, 'token')} in all. Nothing is fetched.
        </Text>
        <Button size="xs" loading={reindex.isPending} onClick={() => reindex.mutate()}>
          Index again
        </Button>
      </Group>
      {reindex.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          <MessageText>{reindex.error.message}</MessageText>
        </Text>
      )}
    </Alert>
  )
}

function Indexing({ jobs: { jobs, total } }: { jobs: JobList }) {
  const [most, setMost] = useState(total)
  if (total > most) setMost(total)
  const doneShare = jobs.reduce((sum, job) => sum + (job.filesTotal === 0 ? 0 : job.filesDone / job.filesTotal), 0)
  return (
    <div role="status">
      <Text size="sm">
        {countOf(total, 'library is', 'libraries are')} still to be indexed again.{' '}
        <TextLink to="/queue" underline="always">
          Show the queue
        </TextLink>
      </Text>
      <Progress value={(100 * (most - total + doneShare)) / most} mt={8} aria-label="Progress of indexing again" />
    </div>
  )
}
