import { Table, Title } from '@mantine/core'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import styles from './export.module.css'
import type { TeamExports } from './export-queries.ts'

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

/** The offline licenses of a teamspace with their ends. */
export const LicenseTable = ({ licenses }: Pick<TeamExports, 'licenses'>) => (
  <section aria-labelledby="licenses-title">
    <Title order={2} id="licenses-title" mb="xs">
      Offline licenses
    </Title>
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>License</Table.Th>
          <Table.Th className={styles.wide}>Customer</Table.Th>
          <Table.Th>Ends</Table.Th>
          <Table.Th>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {licenses.map(({ id, customer, endsAt, isValid }) => (
          <Table.Tr key={id}>
            <Table.Td className={styles.id}>{id}</Table.Td>
            <Table.Td className={`${styles.names} ${styles.wide}`}>
              <bdi>{customer}</bdi>
            </Table.Td>
            <Table.Td>
              {day.format(new Date(endsAt))} (<TimeAgo time={endsAt} />)
            </Table.Td>
            <Table.Td>{isValid ? 'Valid' : Date.parse(endsAt) <= Date.now() ? 'Ended' : 'Revoked'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </section>
)
