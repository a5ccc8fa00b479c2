import { Group, Progress, Stack, Text } from '@mantine/core'
import { StateMark } from '../../../../shared/web/library/state-mark.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import type { TeamJob } from '../../api/library-queries.ts'
import { progressWords } from './job-words.ts'

/** An unfinished job: what it does now and how far it is. `library` names it for screen readers. */
export function JobProgress({ job, library }: { job: TeamJob; library: string }) {
  const { state, progress, createdAt, dueAt } = job
  const percent = progress.filesTotal === 0 ? undefined : Math.floor((100 * progress.filesDone) / progress.filesTotal)
  const words = progressWords(job)
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="sm">
        <StateMark kind={state === 'running' ? 'running' : 'waiting'}>{state === 'running' ? 'Running' : 'Waiting'}</StateMark>
        <Text size="xs" c="dimmed">
          {state === 'queued' && Date.parse(dueAt) > Date.now() ? (
            <>
              Next attempt <TimeAgo time={dueAt} />
            </>
          ) : (
            <>
              Queued <TimeAgo time={createdAt} />
            </>
          )}
        </Text>
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {words}
      </Text>
      {state === 'running' && (
        <Progress.Root size="sm">
          <Progress.Section
            value={percent ?? 100}
            animated={percent === undefined}
            striped={percent === undefined}
            aria-label={`Progress of ${library}`}
            aria-valuetext={percent === undefined ? words : `${percent} %`}
          />
        </Progress.Root>
      )}
    </Stack>
  )
}
