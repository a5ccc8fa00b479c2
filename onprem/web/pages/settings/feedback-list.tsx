import { ActionIcon, Button, Group, NativeSelect, Pagination, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, ExternalLink, Trash2 } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { formatCount } from '../../../../shared/web/format.ts'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { PageSection } from '../../../../shared/web/page-section.tsx'
import { saveFile } from '../../../../shared/web/save-file.ts'
import { SkeletonRows } from '../../../../shared/web/skeleton-rows.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { showToast } from '../../../../shared/web/toast.tsx'
import { api } from '../../api/api.ts'
import { feedbackCsv, feedbackQuery, type ListedFeedback } from '../../api/queries.ts'
import styles from './feedback-list.module.css'
import { type FeedbackSearch, feedbackKinds } from './feedback-search.ts'

const pageSize = 50

/** What was kept, newest first, with a filter, a download and its deletion. */
export function FeedbackList() {
  const { kind, libraryId, page = 1 } = useSearch({ from: '/signed-in/frame/settings/feedback' })
  const navigate = useNavigate({ from: '/settings/feedback' })
  const change = (search: FeedbackSearch) => void navigate({ search })
  const queryClient = useQueryClient()
  const list = useQuery(feedbackQuery({ kind, libraryId, page: String(page), pageSize: String(pageSize) }))
  const download = useMutation({
    mutationFn: async () => saveFile(await (await feedbackCsv()).blob(), 'carrel-feedback.csv'),
  })
  const removeAll = async () => {
    const { deleted } = await answerOf(api.feedback.$delete({ query: { libraryId } }))
    await queryClient.invalidateQueries({ queryKey: ['feedback'] })
    void showToast({ message: `${formatCount(deleted)} entries are deleted.` })
  }
  const pages = Math.ceil((list.data?.total ?? 0) / pageSize)
  return (
    <PageSection
      title={libraryId === undefined ? 'Kept feedback' : `Kept feedback about ${libraryId.slice(1)}`}
      action={
        <Group gap="xs">
          <NativeSelect
            aria-label="Kind"
            data={[
              { value: '', label: 'All kinds' },
              ...Object.entries(feedbackKinds).map(([value, label]) => ({ value, label })),
            ]}
            value={kind ?? ''}
            onChange={(event) => change({ libraryId, kind: (event.currentTarget.value || undefined) as FeedbackSearch['kind'] })}
          />
          <Button
            variant="default"
            leftSection={<Download size={16} aria-hidden />}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            Download CSV
          </Button>
          <ConfirmButton
            question={libraryId === undefined ? 'Delete all feedback?' : `Delete the feedback about ${libraryId}?`}
            consequence="Questions and ratings are deleted at once and cannot be brought back."
            done={undefined}
            onConfirm={removeAll}
          >
            Delete all
          </ConfirmButton>
        </Group>
      }
    >
      {libraryId !== undefined && (
        <TextLink to="/settings/feedback" search={{ kind }} size="sm">
          Show all libraries
        </TextLink>
      )}
      {list.isLoadingError ? (
        <ErrorState error={list.error} what="The feedback cannot be loaded" retry={() => void list.refetch()} />
      ) : list.data?.total === 0 ? (
        <EmptyState title="No feedback yet">
          Questions without an answer and ratings appear here, with a link to add a page that answers.
        </EmptyState>
      ) : (
        <Stack gap="md">
          <Entries entries={list.data?.feedback} isBusy={list.isFetching} />
          {pages > 1 && (
            <Pagination
              total={pages}
              value={page}
              onChange={(next) => change({ kind, libraryId, page: next })}
              getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
            />
          )}
        </Stack>
      )}
    </PageSection>
  )
}

const Entries = ({ entries, isBusy }: { entries: readonly ListedFeedback[] | undefined; isBusy: boolean }) => (
  <Table aria-busy={isBusy}>
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Question</Table.Th>
        <Table.Th className={styles.wide}>Library</Table.Th>
        <Table.Th className={styles.wide}>When</Table.Th>
        <Table.Th>Actions</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {entries ? entries.map((entry) => <Entry key={entry.id} entry={entry} />) : <SkeletonRows rows={6} columns={4} />}
    </Table.Tbody>
  </Table>
)

function Entry({ entry }: { entry: ListedFeedback }) {
  const { id, libraryId, at, kind, question, comment, times, addPageUrl } = entry
  const queryClient = useQueryClient()
  const remove = useMutation({
    meta: { done: 'Entry deleted.' },
    mutationFn: () => answerOf(api.feedback[':id'].$delete({ param: { id: String(id) } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['feedback'] }),
  })
  return (
    <Table.Tr>
      <Table.Td className={styles.text}>
        <bdi>{question || '(no question was sent)'}</bdi>
        {comment !== '' && (
          <Text size="sm" c="dimmed">
            <bdi>{comment}</bdi>
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {feedbackKinds[kind]}
          {times > 1 && ` · asked ${formatCount(times)} times`}
        </Text>
      </Table.Td>
      <Table.Td className={styles.wide}>
        <TextLink to="/settings/feedback" search={{ libraryId }}>
          <bdi>{libraryId.slice(1)}</bdi>
        </TextLink>
      </Table.Td>
      <Table.Td className={styles.wide}>
        <TimeAgo time={at} />
      </Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap">
          {addPageUrl !== null && (
            <ActionIcon
              component="a"
              href={addPageUrl}
              target="_blank"
              rel="noreferrer noopener"
              aria-label="Add a page that answers this"
              title="Add a page that answers this"
            >
              <ExternalLink size={16} aria-hidden />
            </ActionIcon>
          )}
          <ActionIcon aria-label="Delete" title="Delete" loading={remove.isPending} onClick={() => remove.mutate()}>
            <Trash2 size={16} aria-hidden />
          </ActionIcon>
        </Group>
        {remove.error && (
          <Text size="xs" c="var(--bad)" role="alert">
            <MessageText>{remove.error.message}</MessageText>
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
