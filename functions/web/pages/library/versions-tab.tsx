import { Button, Group, Stack, Table, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { formatCount } from '../../../../shared/web/format.ts'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import {
  changeSource,
  deleteLibrary,
  type LibraryDetails,
  type LibraryPath,
  librariesKey,
  libraryKey,
  sourceQuery,
} from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import styles from './library-page.module.css'

const route = api.teamspaces[':team'].libraries[':owner'][':repo']
type VersionsTabProps = { path: LibraryPath; library: LibraryDetails }

/** The versions of a library, each with its own id; its owner adds and deletes them. */
export function VersionsTab({ path, library }: VersionsTabProps) {
  const { role } = useTeam()
  const mayChange = library.owned && role !== 'developer'
  return (
    <Stack gap="lg">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Version</Table.Th>
            <Table.Th>Id for agents</Table.Th>
            <Table.Th className={styles.wide} ta="right">
              Snippets
            </Table.Th>
            <Table.Th className={styles.wide}>Indexed</Table.Th>
            {mayChange && <ActionsHead />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {library.versions.map((version) => (
            <VersionRow key={version.version} {...{ path, library, version, mayChange }} />
          ))}
        </Table.Tbody>
      </Table>
      {mayChange ? (
        <AddVersion path={path} />
      ) : (
        <Text size="sm" c="dimmed">
          Versions come from the project file of the repository. The owner of the library can add others.
        </Text>
      )}
    </Stack>
  )
}

type VersionRowProps = VersionsTabProps & { version: LibraryDetails['versions'][number]; mayChange: boolean }

function VersionRow({ path, library, version: { version, ref, snippets, updatedAt }, mayChange }: VersionRowProps) {
  const id = version === '' ? library.id : `${library.id}@${version}`
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to="/teamspaces/$team/libraries/$owner/$repo" params={path} search={{ version }}>
          <bdi>{version || `${library.branch || ref} (latest)`}</bdi>
        </TextLink>
      </Table.Td>
      <Table.Td className={styles.id}>
        <bdi>{id}</bdi> <CopyButton value={id} label="the id" />
      </Table.Td>
      <Table.Td className={styles.wide} ta="right">
        {formatCount(snippets)}
      </Table.Td>
      <Table.Td className={styles.wide}>
        <TimeAgo time={updatedAt} />
      </Table.Td>
      {mayChange && (
        <Table.Td ta="right">
          {version !== '' && (
            <ConfirmButton
              size="xs"
              question={`Delete version ${version}?`}
              consequence="Its content is deleted. A refresh brings it back if the project file of the repository names it."
              done={undefined}
              onConfirm={() => deleteLibrary(path, { id: library.id, version, owned: library.owned })}
            >
              Delete version
            </ConfirmButton>
          )}
        </Table.Td>
      )}
    </Table.Tr>
  )
}

function AddVersion({ path }: { path: LibraryPath }) {
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { version: '' } })
  const add = useMutation({
    meta: { done: 'The version is queued.' },
    mutationFn: async ({ version }: { version: string }) => {
      const { versions, etag } = await queryClient.fetchQuery({ ...sourceQuery(path), staleTime: 0 })
      await changeSource(path, etag, { versions: [...versions, version.trim()] })
      return answerOf(route.refresh.$post({ param: path }))
    },
    onSuccess: () => form.reset(),
    onError: (error) => form.setErrors({ version: Object.values(fieldErrors(error))[0] }),
    onSettled: () =>
      Promise.all([librariesKey(path.team), libraryKey(path)].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  })
  useUnsavedChanges(form.isDirty() && !add.isPending)
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} className={styles.text}>
      <Stack gap="sm">
        <TextInput
          label="Add a version"
          description="A tag or branch. It is indexed with the settings of the library; old content is served until then."
          spellCheck={false}
          required
          {...form.getInputProps('version')}
        />
        <FormError error={add.error} fields={['versions.0', 'versions', 'version']} />
        {add.isSuccess && (
          <Text size="sm" role="status">
            The library is being refreshed. The version is listed when it has been read.
          </Text>
        )}
        <Group>
          <Button type="submit" variant="default" loading={add.isPending}>
            Add version
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
