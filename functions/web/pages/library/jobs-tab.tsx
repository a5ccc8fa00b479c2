import { Alert, Stack, Text } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { JobReport } from '../../../../shared/web/jobs/job-report.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import type { LibraryDetails } from '../../api/library-queries.ts'
import { JobProgress } from '../jobs/job-progress.tsx'

/** The unfinished job of a library, and the result of its last one. */
export function JobsTab({ library: { id, job, lastError, report, owned } }: { library: LibraryDetails }) {
  const isQuiet = job === null && lastError === null && report === null
  return (
    <Stack gap="lg">
      {job && <JobProgress job={job} library={id} />}
      {lastError !== null && (
        <Alert color="red" variant="light" icon={<CircleAlert size={18} aria-hidden />} title="The last job failed">
          <Text size="sm" dir="auto">
            <MessageText>{lastError}</MessageText>
          </Text>
        </Alert>
      )}
      {report && <JobReport report={report} kind="parse" />}
      {isQuiet && (
        <EmptyState title="No job is running">
          {owned
            ? 'The report of the next refresh appears here.'
            : 'The progress of a refresh appears here. The owner of the library also sees the report of its last job.'}
        </EmptyState>
      )}
    </Stack>
  )
}
