import { Stack } from '@mantine/core'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import type { LibraryDetails } from '../../api/library-queries.ts'
import { JobProgress } from '../jobs/job-progress.tsx'

/** A library whose first parse has not ended, or has failed. */
export const NoContent = ({ library: { id, job, lastError } }: { library: LibraryDetails }) =>
  job ? (
    <Stack gap="md">
      <JobProgress job={job} library={id} />
      <EmptyState picture="shelf" title="No content yet">
        The content appears here when the job has ended. You can close this page.
      </EmptyState>
    </Stack>
  ) : (
    <EmptyState picture="shelf" title={lastError === null ? 'No content yet' : 'The library could not be added'}>
      <MessageText>{lastError ?? 'The content appears here when its job has ended.'}</MessageText>
    </EmptyState>
  )
