import { Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { FlaggedRule } from '../../snippet.ts'
import { countOf } from '../format.ts'
import styles from './flagged-passages.module.css'

type FlaggedPassage = { id: string; path: string; title: string; withheld: boolean; flag?: { reason: string } | undefined }
type FlaggedPassagesProps = {
  list: { rule: FlaggedRule; passages: readonly FlaggedPassage[]; total: number } | undefined
  /** A link to a page of the library. */
  link: (path: string) => ReactNode
}

/** The passages that may attack agents, with the reasons. Nothing if there are none. */
export function FlaggedPassages({ list, link }: FlaggedPassagesProps) {
  if (list === undefined || list.total === 0) return null
  const { rule, passages, total } = list
  return (
    <section aria-label="Flagged passages">
      <Title order={2} size="h3" mb="xs">
        Flagged passages
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        They may hold instructions aimed at agents. The settings of the library say what answers do with them.
      </Text>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Page</Table.Th>
            <Table.Th>Reason</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {passages.map(({ id, path, title, flag, withheld }) => (
            <Table.Tr key={id}>
              <Table.Td className={styles.page}>
                {link(path)}
                <Text size="xs" c="dimmed" dir="auto">
                  {title}
                </Text>
              </Table.Td>
              <Table.Td>
                {flag?.reason}
                <Text size="xs" c="dimmed">
                  {withheld ? 'Answers leave it out' : rule === 'serve' ? 'Answers show it' : 'Answers show it with a warning'}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {total > passages.length && (
        <Text size="sm" c="dimmed" mt="xs">
          And {countOf(total - passages.length, 'more passage')}.
        </Text>
      )}
    </section>
  )
}
