import { Skeleton, Table } from '@mantine/core'

/** The rows of a table while it is loaded. */
export const SkeletonRows = ({ rows, columns }: { rows: number; columns: number }) =>
  Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike.
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton height={20} />
      </Table.Td>
    </Table.Tr>
  ))
