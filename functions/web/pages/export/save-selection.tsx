import { Button, Group, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { putSelection } from './edit-selection.ts'
import { selectionQuery, selectionsKey, selectionsQuery } from './export-queries.ts'

/** Saves the selected libraries under a name. One that exists is replaced, unless it has changed since it was shown. */
export function SaveSelection({ team, libraries }: { team: string; libraries: string[] }) {
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const { data: saved = [] } = useQuery(selectionsQuery(team))
  const existing = saved.find((each) => each.name.toLowerCase() === name.trim().toLowerCase())
  const save = useMutation({
    meta: { done: 'Selection saved.' },
    mutationFn: async () => {
      const shown = existing && (await queryClient.ensureQueryData(selectionQuery(team, existing.id)))
      return putSelection(team, { id: existing?.id ?? crypto.randomUUID(), name: name.trim(), libraries }, shown?.etag)
    },
    onSuccess: () => setName(''),
    onSettled: () => queryClient.invalidateQueries({ queryKey: selectionsKey(team) }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label="Save under a name"
          placeholder="Air gap"
          flex={1}
          value={name}
          error={fieldErrors(save.error).name}
          onChange={(event) => {
            setName(event.currentTarget.value)
            save.reset()
          }}
        />
        <Button type="submit" variant="default" disabled={name.trim() === ''} loading={save.isPending}>
          {existing ? 'Replace' : 'Save'}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" role="status" mt={4}>
        {existing
          ? `Replaces ${existing.name}, which has ${countOf(existing.libraries, 'library', 'libraries')}.`
          : save.data && `Saved as ${save.data.name}.`}
      </Text>
      <FormError error={save.error} fields={['name']} />
    </form>
  )
}
