import { Skeleton, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { answerOf, api } from '../../api/api.ts'
import { type Key, keyQuery } from '../../api/queries.ts'
import { sessionQuery } from '../../api/session-query.ts'
import styles from './account-page.module.css'

/** The keys of the user. */
export function KeyList() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const keys = useQuery(keyQuery)
  if (keys.isLoadingError)
    return <ErrorState error={keys.error} what="The keys cannot be loaded" retry={() => void keys.refetch()} />
  if (!keys.data) return <Skeleton height={120} />
  const own = keys.data.keys.filter(({ owner }) => owner?.id === session?.user.id)
  if (own.length === 0)
    return (
      <Text size="sm" c="dimmed">
        You have no keys. An agent needs one only while this install requires keys for MCP.
      </Text>
    )
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th className={styles.wide}>Begins with</Table.Th>
          <Table.Th className={styles.wide}>Created</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Expires</Table.Th>
          <Table.Th />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {own.map((key) => (
          <Row key={key.id} item={key} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Row({ item: { id, name, prefix, createdAt, lastUsedAt, expiresAt } }: { item: Key }) {
  const queryClient = useQueryClient()
  const revoke = async () => {
    await answerOf(api.keys[':id'].$delete({ param: { id } }))
    await queryClient.invalidateQueries({ queryKey: ['keys'] })
  }
  return (
    <Table.Tr>
      <Table.Td className={styles.name}>
        <bdi>{name}</bdi>
      </Table.Td>
      <Table.Td className={`${styles.mono} ${styles.wide}`}>{prefix}</Table.Td>
      <Table.Td className={styles.wide}>
        <TimeAgo time={createdAt} />
      </Table.Td>
      <Table.Td>{lastUsedAt ? <TimeAgo time={lastUsedAt} /> : 'Never'}</Table.Td>
      <Table.Td>{expiresAt ? <TimeAgo time={expiresAt} /> : 'Never'}</Table.Td>
      <Table.Td align="right">
        <ConfirmButton
          size="xs"
          question={`Revoke the key ${name}?`}
          consequence="Clients that use it can no longer sign in. This cannot be undone."
          onConfirm={revoke}
        >
          Revoke key
        </ConfirmButton>
      </Table.Td>
    </Table.Tr>
  )
}
