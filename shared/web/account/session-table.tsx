import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ActionsHead } from '../actions-head.tsx'
import { MessageText } from '../message-text.tsx'
import { TimeAgo } from '../time-ago.tsx'
import { browserName } from './browser-name.ts'
import styles from './session-table.module.css'

/** `last` is a time of the column `lastTitle`. */
type ShownSession = { id: string; userAgent: string; createdAt: string; isCurrent: boolean; last: ReactNode }

type SessionTableProps = {
  sessions: readonly ShownSession[]
  lastTitle: string
  end: (ids: string[]) => Promise<unknown>
  /** Further buttons below the table. */
  children?: ReactNode
}

/** The browsers in which a user is signed in. */
export function SessionTable({ sessions, lastTitle, end: endSessions, children }: SessionTableProps) {
  const end = useMutation({ meta: { done: 'Session ended.' }, mutationFn: endSessions })
  const others = sessions.filter(({ isCurrent }) => !isCurrent).map(({ id }) => id)
  return (
    <Stack gap="sm">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Browser</Table.Th>
            <Table.Th>Signed in</Table.Th>
            <Table.Th className={styles.wide}>{lastTitle}</Table.Th>
            <ActionsHead />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map(({ id, userAgent, createdAt, last, isCurrent }) => (
            <Table.Tr key={id}>
              <Table.Td className={styles.name} title={userAgent}>
                <bdi>{browserName(userAgent)}</bdi>
              </Table.Td>
              <Table.Td>
                <TimeAgo time={createdAt} />
              </Table.Td>
              <Table.Td className={styles.wide}>{last}</Table.Td>
              <Table.Td align="right">
                {isCurrent ? (
                  <Text size="sm" c="dimmed">
                    This browser
                  </Text>
                ) : (
                  <Button variant="default" size="xs" onClick={() => end.mutate([id])}>
                    End session
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {end.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          <MessageText>{end.error.message}</MessageText>
        </Text>
      )}
      <Group gap="xs">
        {others.length > 1 && (
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate(others)}>
            End the other sessions
          </Button>
        )}
        {children}
      </Group>
    </Stack>
  )
}
