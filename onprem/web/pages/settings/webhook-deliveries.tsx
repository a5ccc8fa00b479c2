import { Skeleton, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { deliveriesQuery } from '../../api/queries.ts'

/** The last deliveries of a webhook, newest first. */
export function WebhookDeliveries({ id }: { id: string }) {
  const deliveries = useQuery(deliveriesQuery(id))
  if (deliveries.isLoadingError)
    return <ErrorState error={deliveries.error} what="The deliveries cannot be loaded" retry={() => void deliveries.refetch()} />
  if (!deliveries.data) return <Skeleton height={80} />
  if (deliveries.data.deliveries.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing has been delivered yet.
      </Text>
    )
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Last</Table.Th>
          <Table.Th>Event</Table.Th>
          <Table.Th>Outcome</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.data.deliveries.map(({ at, event, library, outcome, detail, times, job }) => (
          <Table.Tr key={`${event} ${library} ${outcome} ${detail} ${job}`}>
            <Table.Td>
              <TimeAgo time={at} />
              {times > 1 && ` (${times} times)`}
            </Table.Td>
            <Table.Td>{event === '' ? 'unknown' : event}</Table.Td>
            <Table.Td>
              {detail}
              {library !== null && ` ${library}`}
              {job !== null && `, job ${job}`}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
