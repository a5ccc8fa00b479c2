import { Table, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import styles from './usage.module.css'

type CountTableProps = {
  title: string
  about?: string
  name: string
  counts: string[]
  rows: { key: string; name: ReactNode; counts: string[] }[]
  /** The text if there are no rows. */
  none: string
}

/** Names with their counts, the largest first. */
export function CountTable({ title, about, name, counts, rows, none }: CountTableProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={styles.section}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {about !== undefined && (
        <Text size="xs" c="dimmed">
          {about}
        </Text>
      )}
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed" mt="xs">
          {none}
        </Text>
      ) : (
        <Table mt="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{name}</Table.Th>
              {counts.map((count) => (
                <Table.Th key={count} className={styles.number}>
                  {count}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.key}>
                <Table.Td className={styles.name}>
                  <bdi>{row.name}</bdi>
                </Table.Td>
                {row.counts.map((count, n) => (
                  <Table.Td key={counts[n]} className={styles.number}>
                    {count}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  )
}
