import { Button, Table, Text, Title } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { formatCount } from '../format.ts'
import styles from './usage.module.css'

type CountTableProps = {
  title: string
  about?: ReactNode
  name: string
  counts: string[]
  rows: { key: string; name: ReactNode; counts: string[] }[]
  /** The text if there are no rows. */
  none: string
  /** The rows that are shown until all are asked for. */
  maxRows?: number | undefined
}

/** Names with their counts, the largest first. */
export function CountTable({ title, about, name, counts, rows, none, maxRows = 10 }: CountTableProps) {
  const id = useId()
  const [isWhole, setIsWhole] = useState(false)
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
            {rows.slice(0, isWhole ? rows.length : maxRows).map((row) => (
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
      {rows.length > maxRows && !isWhole && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setIsWhole(true)}>
          Show all {formatCount(rows.length)}
        </Button>
      )}
    </section>
  )
}
