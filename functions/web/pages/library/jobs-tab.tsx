import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { FlaggedPassages } from '../../../../shared/web/content/flagged-passages.tsx'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { JobReport } from '../../../../shared/web/jobs/job-report.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { flaggedQuery, type LibraryDetails, type LibraryPath } from '../../api/library-queries.ts'
import { JobProgress } from '../jobs/job-progress.tsx'

/** The unfinished job of a library, and the result of its last one. */
export function JobsTab({ path, library }: { path: LibraryPath; library: LibraryDetails }) {
  const { id, job, lastError, report, owned } = library
  const flagged = useQuery({ ...flaggedQuery(path), enabled: library.state === 'finalized' })
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
      <FlaggedPassages
        list={flagged.data}
        link={(page) => (
          <TextLink to="/teamspaces/$team/libraries/$owner/$repo" params={path} search={{ page }}>
            {page}
          </TextLink>
        )}
      />
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
