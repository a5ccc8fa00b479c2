import { Button, Group, Stack, Table, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/api/api-error.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { pageAddress } from '../../../../shared/web/content/page-address.ts'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { api } from '../../api/api.ts'
import { deleteLibrary } from '../../api/delete-library.ts'
import { isUnfinished, jobQuery } from '../../api/job-queries.ts'
import type { LibraryDetails } from '../../api/library-query.ts'
import { changeSource, sourceQuery } from '../../api/queries.ts'
import { jobWords } from '../queue/job-words.ts'
import styles from './library-page.module.css'

/** The versions of a library, each with its own id, and a form to add one. */
export function VersionsTab({ library }: { library: LibraryDetails }) {
  const queryClient = useQueryClient()
  const remove = async (version: string) => {
    await deleteLibrary(`${library.id}@${version}`)
    await queryClient.invalidateQueries({ queryKey: ['libraries'] })
  }
  return (
    <Stack gap="lg">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Version</Table.Th>
            <Table.Th>Id for agents</Table.Th>
            <ActionsHead />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {['', ...library.versions].map((version) => {
            const id = version === '' ? library.id : `${library.id}@${version}`
            return (
              <Table.Tr key={version}>
                <Table.Td>
                  <TextLink {...pageAddress(library.id, '', undefined, version)}>
                    {version || `${library.branch || 'Default'} (latest)`}
                  </TextLink>
                </Table.Td>
                <Table.Td className={styles.id}>
                  <bdi>{id}</bdi> <CopyButton value={id} label="the id" />
                </Table.Td>
                <Table.Td align="right">
                  {version !== '' && library.mayDelete && (
                    <ConfirmButton
                      size="xs"
                      question={`Delete version ${version}?`}
                      consequence="Its content is deleted. A refresh brings it back if the project file of the repository names it."
                      onConfirm={() => remove(version)}
                    >
                      Delete version
                    </ConfirmButton>
                  )}
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
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

function AddVersion({ library }: { library: LibraryDetails }) {
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { version: '' } })
  const add = useMutation({
    mutationFn: async ({ version }: { version: string }) => {
      const id = library.id.slice(1)
      // A parse would replace the other settings of the library by defaults.
      const { versions, etag } = await queryClient.fetchQuery({ ...sourceQuery(id), staleTime: 0 })
      await changeSource(id, etag, { versions: [...versions, version.trim()] })
      await queryClient.invalidateQueries({ queryKey: sourceQuery(id).queryKey })
      return answerOf(api.projects[':id{.+}'].refresh.$post({ param: { id } }))
    },
    onSuccess: async () => {
      form.reset()
      await queryClient.invalidateQueries({ queryKey: ['jobs'] })
    },
    onError: (error) => form.setErrors({ version: Object.values(fieldErrors(error))[0] }),
  })
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} className={styles.form}>
      <Stack gap="sm">
        <TextInput
          label="Add a version"
          description="A tag or branch. It is indexed with the settings of the library; old content is served until then."
          spellCheck={false}
          required
          {...form.getInputProps('version')}
        />
        <FormError error={add.error} fields={['versions.0', 'versions', 'version']} />
        {add.data && <VersionJob id={add.data.queueId} />}
        <Group>
          <Button type="submit" variant="default" loading={add.isPending}>
            Add version
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The progress of the job that adds a version, or the reason of its failure. */
function VersionJob({ id }: { id: number }) {
  const { data: job } = useQuery(jobQuery(id))
  if (!job || isUnfinished(job))
    return (
      <Text size="sm" role="status">
        The refresh is queued as job {id}. The version is listed when it has been read.
      </Text>
    )
  if (job.state === 'failed')
    return (
      <Text size="sm" c="var(--bad)" role="alert" dir="auto">
        {jobWords.error(job)}
      </Text>
    )
  return (
    <Text size="sm" role="status">
      {job.state === 'done' ? `Job ${id} is done.` : `Job ${id} was cancelled.`}
    </Text>
  )
}
