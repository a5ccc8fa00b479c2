import { Button, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import styles from '../../../../shared/web/add/add-forms.module.css'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { confluenceQuery } from '../../api/confluence-query.ts'
import { useTeam } from '../../api/use-team.ts'
import { useShowAdded } from './use-show-added.ts'

const empty = { spaceKey: '', title: '', description: '' }

/** Adds a space of the teamspace's Confluence site as a private library. */
export function AddSpace() {
  const { id: team } = useTeam()
  const stored = useQuery(confluenceQuery(team))
  if (stored.isLoadingError)
    return <ErrorState error={stored.error} what="The site cannot be loaded" retry={() => void stored.refetch()} />
  if (stored.data === undefined) return <Skeleton height={200} />
  if (stored.data) return <SpaceForm site={stored.data.site} />
  return (
    <Text size="sm">
      Your teamspace has no Confluence site yet.{' '}
      <TextLink to="/teamspaces/$team/settings/confluence" params={{ team }} size="sm" td="underline">
        Store a site
      </TextLink>
    </Text>
  )
}

function SpaceForm({ site }: { site: string }) {
  const { id: team } = useTeam()
  const form = useForm({ initialValues: empty })
  const showAdded = useShowAdded()
  const add = useMutation({
    meta: { done: 'The space is in your list.' },
    mutationFn: ({ spaceKey, title, description }: typeof empty) => {
      const about = description.trim()
      const json = { spaceKey: spaceKey.trim(), title: title.trim(), ...(about && { description: about }) }
      return answerOf(api.teamspaces[':team'].sources.confluence.$post({ param: { team }, json }))
    },
    onSuccess: showAdded,
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  useUnsavedChanges(form.isDirty() && !add.isPending && add.data === undefined)
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} className={styles.form}>
      <Stack gap="md">
        <TextInput
          label="Key of the space"
          description={`A space of ${site}`}
          placeholder="DOC"
          required
          data-autofocus
          spellCheck={false}
          {...form.getInputProps('spaceKey')}
        />
        <TextInput label="Title" description="Also the name in the id" required {...form.getInputProps('title')} />
        <TextInput label="Description" {...form.getInputProps('description')} />
        <FormError error={add.error} fields={Object.keys(empty)} />
        <div>
          <Button type="submit" loading={add.isPending}>
            Add Confluence space
          </Button>
        </div>
        <Text size="sm" c="dimmed">
          Carrel reads the pages that the stored token may read. Only your teamspace can search them.
        </Text>
      </Stack>
    </form>
  )
}
