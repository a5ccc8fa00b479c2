import { Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { SkeletonRows } from '../skeleton-rows.tsx'
import { TimeAgo } from '../time-ago.tsx'
import styles from './audit-table.module.css'

/** A change in words: `actor` `action` `subject`. `at` is in ISO 8601; `note` follows, such as an outcome. */
export type ShownChange = { at: string; actor: string; action: string; subject: string; note?: ReactNode }

type AuditTableProps = { changes: readonly ShownChange[] | undefined; isFetching: boolean }

/** Changes with their times. Undefined while they are loaded. */
export const AuditTable = ({ changes, isFetching }: AuditTableProps) => (
  <Table aria-busy={isFetching}>
    <Table.Thead>
      <Table.Tr>
        <Table.Th>When</Table.Th>
        <Table.Th>Change</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {changes ? (
        changes.map(({ at, actor, action, subject, note }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: changes have no id, and several may have the same time.
          <Table.Tr key={`${at} ${index}`}>
            <Table.Td className={styles.when}>
              <TimeAgo time={at} />
            </Table.Td>
            <Table.Td className={styles.change}>
              <bdi className={styles.actor}>{actor}</bdi>{' '}
              <Text span inherit c="dimmed">
                {action}
              </Text>{' '}
              <bdi className={styles.subject}>{subject}</bdi> {note}
            </Table.Td>
          </Table.Tr>
        ))
      ) : (
        <SkeletonRows rows={8} columns={2} />
      )}
    </Table.Tbody>
  </Table>
)
