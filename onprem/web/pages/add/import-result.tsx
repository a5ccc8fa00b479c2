import { Button, Group, List, Stack, Table, Text, Title } from '@mantine/core'
import styles from '../../../../shared/web/add/add-forms.module.css'
import { countOf } from '../../../../shared/web/format.ts'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import type { Imported } from './upload-bundle.ts'

const library = (count: number) => countOf(count, 'library', 'libraries')

/** The queued libraries, and the skipped ones with the reason. */
export const ImportResult = ({ result, again }: { result: Imported; again: () => void }) => (
  <Stack gap="md" className={styles.form} role="status">
    <Title order={2}>
      {library(result.queued.length)} queued{result.skipped.length > 0 && `, ${result.skipped.length} skipped`}
    </Title>
    <Text size="sm">
      <MessageText>{result.message}</MessageText>
    </Text>
    {result.queued.length > 0 && (
      <List size="sm">
        {result.queued.map((id) => (
          <List.Item key={id}>
            <bdi>{id}</bdi>
          </List.Item>
        ))}
      </List>
    )}
    {result.skipped.length > 0 && (
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Skipped</Table.Th>
            <Table.Th>Reason</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {result.skipped.map(({ project, reason }) => (
            <Table.Tr key={`${project} ${reason}`}>
              <Table.Td>
                <bdi>{project}</bdi>
              </Table.Td>
              <Table.Td>
                <MessageText>{reason}</MessageText>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    )}
    {result.removed && result.removed.length > 0 && (
      <Text size="sm">Removed, because the bundle does not contain them: {result.removed.join(', ')}</Text>
    )}
    <Group gap="sm">
      <LinkButton to="/queue">Show the queue</LinkButton>
      <Button variant="default" onClick={again}>
        Import another file
      </Button>
    </Group>
  </Stack>
)
