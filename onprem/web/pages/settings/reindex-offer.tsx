import { Alert, Button, Group, Text } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Info } from 'lucide-react'
import { countOf } from '../../../../shared/web/format-count.ts'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { answerOf, api } from '../../api/api.ts'

/** Below ['settings'], so that a change of a setting reads it again. */
const reindexQuery = queryOptions({ queryKey: ['settings', 'reindex'], queryFn: () => answerOf(api.reindex.$get()) })

/** Offers to index libraries again whose vectors are from another model. */
export function ReindexOffer() {
  const queryClient = useQueryClient()
  const { data } = useQuery(reindexQuery)
  const reindex = useMutation({
    mutationFn: () => answerOf(api.reindex.$post()),
    onSuccess: () =>
      Promise.all([queryClient.invalidateQueries({ queryKey: ['jobs'] }), queryClient.invalidateQueries(reindexQuery)]),
  })
  if (reindex.data)
    return (
      <Text size="sm" role="status">
        {countOf(reindex.data.queued.length, 'library is', 'libraries are')} queued.{' '}
        <TextLink to="/queue" underline="always">
          Show the queue
        </TextLink>
      </Text>
    )
  if (!data || data.needed === 0) return null
  return (
    <Alert
      color="gray"
      icon={<Info size={18} aria-hidden />}
      title={`${countOf(data.needed, 'library has', 'libraries have')} other vectors`}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          They are served with their old vectors until they are indexed again. Nothing is fetched; each snippet is embedded once.
        </Text>
        <Button size="xs" loading={reindex.isPending} onClick={() => reindex.mutate()}>
          Index again
        </Button>
      </Group>
      {reindex.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          {reindex.error.message}
        </Text>
      )}
    </Alert>
  )
}
