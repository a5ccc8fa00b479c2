import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { JobReport } from '../../../../shared/web/jobs/job-report.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { formatDate } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { isUnfinished, type Job } from '../../api/job-queries.ts'
import { JobLog } from './job-log.tsx'
import { jobWords } from './job-words.ts'
import styles from './queue.module.css'

export function JobDetails({ job }: { job: Job }) {
  return (
    <Stack gap="md">
      {job.state === 'failed' && (
        <Alert
          color="red"
          variant="light"
          icon={<TriangleAlert size={18} aria-hidden />}
          title={job.advice && <MessageText>{job.advice}</MessageText>}
        >
          <Text size="sm" dir="auto">
            <MessageText>{jobWords.error(job)}</MessageText>
          </Text>
        </Alert>
      )}
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed">
          <span className={styles.onNarrow}>
            {jobWords.kinds[job.kind]} #{job.id} ·{' '}
          </span>
          {times(job)}
        </Text>
        <JobActions job={job} />
      </Group>
      {job.report && <JobReport report={job.report} kind={job.kind} />}
      <div>
        <Title order={2} size="h3" mb="xs">
          Log
        </Title>
        <JobLog job={job} />
      </div>
    </Stack>
  )
}

function times({ createdAt, startedAt, finishedAt, nextAttemptAt }: Job): string {
  const parts = [
    `Queued ${formatDate(createdAt)}`,
    startedAt && `started ${formatDate(startedAt)}`,
    nextAttemptAt && `next attempt ${formatDate(nextAttemptAt)}`,
    finishedAt && `ended ${formatDate(finishedAt)}`,
  ]
  return parts.filter(Boolean).join(', ')
}

function JobActions({ job }: { job: Job }) {
  const param = { id: String(job.id) }
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['jobs'] })
  const retry = useMutation({
    meta: { done: 'The job is in the Parse Queue again.' },
    mutationFn: () => answerOf(api.jobs[':id'].retry.$post({ param })),
    onSuccess: async ({ queueId }) => {
      await refresh()
      await navigate({ to: '/queue', search: { job: queueId } })
    },
  })
  const cancel = () => answerOf(api.jobs[':id'].cancel.$post({ param })).then(refresh)
  return (
    <Group gap="xs">
      {retry.error && (
        <Text size="sm" c="red" role="alert">
          <MessageText>{retry.error.message}</MessageText>
        </Text>
      )}
      <LinkButton variant="default" size="xs" to="/libraries/$" params={{ _splat: libraryOf(job) }}>
        Show library
      </LinkButton>
      {(job.state === 'failed' || job.state === 'cancelled') && (
        <Button size="xs" loading={retry.isPending} onClick={() => retry.mutate()}>
          Retry
        </Button>
      )}
      {isUnfinished(job) && (
        <ConfirmButton
          size="xs"
          question={`Cancel job ${job.id}?`}
          consequence={`What it has read of ${job.project} is discarded. The old content is served, and you can retry the job later.`}
          dismiss="Keep it"
          done={`Job ${job.id} cancelled.`}
          onConfirm={cancel}
        >
          Cancel job
        </ConfirmButton>
      )}
    </Group>
  )
}

const libraryOf = ({ project }: Job): string => project.slice(1).split('@', 1)[0] ?? ''
