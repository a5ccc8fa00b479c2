import { Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { isUnfinished, jobQuery } from '../../api/job-queries.ts'
import type { LibraryDetails } from '../../api/library-query.ts'
import { changeSource, sourceQuery } from '../../api/queries.ts'
import { jobWords } from '../queue/job-words.ts'
import styles from './library-page.module.css'
import { RemoteNameInput } from './remote-name-input.tsx'

/** Adds a tag or branch as a version, and refreshes the library. */
export function AddVersion({ library }: { library: LibraryDetails }) {
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { version: '' } })
  const add = useMutation({
    meta: { done: 'The version is in the Parse Queue.' },
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
  useUnsavedChanges(form.isDirty() && !add.isPending)
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} className={styles.form}>
      <Stack gap="sm">
        <RemoteNameInput library={library} {...form.getInputProps('version')} />
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
        <MessageText>{jobWords.error(job)}</MessageText>
      </Text>
    )
  return (
    <Text size="sm" role="status">
      {job.state === 'done' ? `Job ${id} is done.` : `Job ${id} was cancelled.`}
    </Text>
  )
}
