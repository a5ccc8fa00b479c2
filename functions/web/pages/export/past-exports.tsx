import { Button, Group, Table, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { formatBytes } from '../../../../shared/web/format.ts'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { downloadFile } from './download-file.ts'
import styles from './export.module.css'
import { currentId, readExport, selectionsQuery, type TeamExports } from './export-queries.ts'

type PastExport = TeamExports['exports'][number]
type PastExportsProps = { team: string; exports: TeamExports['exports'] }

const shownIds = 3

/** The zips of the last days, which can be downloaded again. */
export function PastExports({ team, exports }: PastExportsProps) {
  const { data: saved = [] } = useQuery(selectionsQuery(team))
  return (
    <section aria-labelledby="past-title">
      <Title order={2} id="past-title" mb="xs">
        Past exports
      </Title>
      {exports.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet. A zip can be downloaded again for some days.
        </Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Started</Table.Th>
              <Table.Th>Libraries</Table.Th>
              <Table.Th className={styles.wide}>Selection</Table.Th>
              <Table.Th>State</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {exports.map((each) => (
              <Row key={each.id} team={team} export={each} selection={saved.find(({ id }) => id === each.selection)?.name} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  )
}

type RowProps = { team: string; export: PastExport; selection: string | undefined }

function Row({ team, export: { id, startedAt, libraries, selection, ...status }, selection: name }: RowProps) {
  const download = useMutation({
    mutationFn: async () => {
      const built = await readExport(team, id)
      if (built.state === 'built') downloadFile(built.url)
      else if (built.state === 'failed') throw new Error(built.message)
    },
  })
  return (
    <Table.Tr>
      <Table.Td>
        <TimeAgo time={startedAt} />
      </Table.Td>
      <Table.Td className={styles.names}>
        <bdi>{libraryNames(libraries)}</bdi>
      </Table.Td>
      <Table.Td className={`${styles.names} ${styles.wide}`}>
        <bdi>{selection === currentId ? 'Current' : (name ?? '–')}</bdi>
      </Table.Td>
      <Table.Td>
        <Group gap="xs" justify="space-between">
          {stateText(status)}
          {status.state === 'built' && (
            <Button size="xs" variant="default" loading={download.isPending} onClick={() => download.mutate()}>
              Download
            </Button>
          )}
        </Group>
        <FormError error={download.error} fields={[]} />
      </Table.Td>
    </Table.Tr>
  )
}

const libraryNames = (ids: readonly string[]): string =>
  [...ids.slice(0, shownIds), ...(ids.length > shownIds ? [`and ${ids.length - shownIds} more`] : [])].join(', ')

type Status = Pick<PastExport, 'state'> & { bytes?: number; message?: string }

function stateText({ state, bytes, message }: Status): string {
  if (state === 'building') return 'Being built'
  if (state === 'failed') return `Failed: ${message}`
  return bytes === undefined ? 'Ready' : formatBytes(bytes)
}
