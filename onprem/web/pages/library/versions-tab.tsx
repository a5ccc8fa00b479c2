import { Group, Stack, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { pageAddress } from '../../../../shared/web/content/page-address.ts'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { formatCount } from '../../../../shared/web/format.ts'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { deleteLibrary } from '../../api/delete-library.ts'
import type { LibraryDetails } from '../../api/library-query.ts'
import { type VersionFacts, versionsQuery } from '../../api/version-queries.ts'
import { AddVersion } from './add-version.tsx'
import styles from './library-page.module.css'

/** The versions of a library, each with its own id, and a form to add one. */
export function VersionsTab({ library }: { library: LibraryDetails }) {
  const queryClient = useQueryClient()
  const remove = async (version: string) => {
    await deleteLibrary(`${library.id}@${version}`)
    await queryClient.invalidateQueries({ queryKey: ['libraries'] })
  }
  const { data = [] } = useQuery(versionsQuery(library.id.slice(1)))
  const facts = new Map(data.map((each) => [each.version, each]))
  return (
    <Stack gap="lg">
      <Table.ScrollContainer minWidth={720} type="native">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Version</Table.Th>
              <Table.Th>Id for agents</Table.Th>
              <Table.Th ta="right">Pages</Table.Th>
              <Table.Th ta="right">Snippets</Table.Th>
              <Table.Th>Commit</Table.Th>
              <Table.Th>Indexed</Table.Th>
              <ActionsHead />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {['', ...library.versions].map((version) => (
              <VersionRow key={version} library={library} version={version} facts={facts.get(version)} remove={remove} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {library.imported ? (
        <Text size="sm" c="dimmed">
          Versions of an imported library come with its export.
        </Text>
      ) : (
        <AddVersion library={library} />
      )}
    </Stack>
  )
}

type VersionRowProps = {
  library: LibraryDetails
  version: string
  facts: VersionFacts | undefined
  remove: (version: string) => Promise<void>
}

function VersionRow({ library, version, facts, remove }: VersionRowProps) {
  const id = version === '' ? library.id : `${library.id}@${version}`
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink {...pageAddress(library.id, '', undefined, version)}>
          {version || `${library.branch || 'Default'} (latest)`}
        </TextLink>
        {facts && facts.ref !== '' && facts.ref !== (version || library.branch) && (
          <Text size="xs" c="dimmed">
            <bdi>{facts.ref}</bdi>
          </Text>
        )}
      </Table.Td>
      <Table.Td className={styles.id}>
        <bdi>{id}</bdi> <CopyButton value={id} label="the id" />
      </Table.Td>
      <Table.Td ta="right">{facts?.pages !== undefined && formatCount(facts.pages)}</Table.Td>
      <Table.Td ta="right">{facts && formatCount(facts.snippets)}</Table.Td>
      <Table.Td className={styles.id}>
        {facts && (
          <>
            {facts.commit.slice(0, 10)}
            {facts.commitDate && (
              <Text size="xs" c="dimmed" component="span" display="block">
                <TimeAgo time={facts.commitDate} />
              </Text>
            )}
          </>
        )}
      </Table.Td>
      <Table.Td>{facts && <TimeAgo time={facts.updatedAt} />}</Table.Td>
      <Table.Td align="right">
        {version !== '' && (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <TextLink
              to="/libraries/$"
              params={{ _splat: library.id.slice(1) }}
              search={{ compare: version }}
              aria-label={`Compare ${version} with the latest`}
            >
              Compare
            </TextLink>
            {library.mayDelete && (
              <ConfirmButton
                size="xs"
                question={`Delete version ${version}?`}
                consequence="Its content is deleted. A refresh brings it back if the project file of the repository names it."
                done={undefined}
                onConfirm={() => remove(version)}
              >
                Delete version
              </ConfirmButton>
            )}
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
