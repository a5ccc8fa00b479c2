import { Button, Checkbox, Group, Popover, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { showToast } from '../../../../shared/web/toast.tsx'
import { api } from '../../api/api.ts'
import type { LibraryItem } from '../../api/library-query.ts'
import { paramOf } from '../../api/page-list-query.ts'
import styles from './choose-tags.module.css'

type TagChange = { tag: string; isAdded: boolean }

/** A button that opens the tags of this install, to add them to the libraries or remove them. */
export function ChooseTags({ libraries, tags }: { libraries: readonly LibraryItem[]; tags: readonly string[] }) {
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const change = useMutation({
    mutationFn: (wanted: TagChange) => changeAll(libraries, wanted),
    onSuccess: (message) => void showToast({ message }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['libraries'] }),
  })
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') change.mutate({ tag: name.trim(), isAdded: true }, { onSuccess: () => setName('') })
  }
  return (
    <Popover
      width={260}
      position="bottom-start"
      shadow="md"
      classNames={{ dropdown: styles.dropdown ?? '' }}
      trapFocus
      returnFocus
      onClose={change.reset}
    >
      <Popover.Target>
        <Button variant="default" size="xs">
          Tag
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Tags of the chosen libraries">
        <Stack gap="sm">
          <form onSubmit={add}>
            <Group gap="xs" wrap="nowrap" align="end">
              <TextInput
                label="New tag"
                size="xs"
                maxLength={40}
                className={styles.name}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <Button type="submit" variant="default" size="xs" loading={change.isPending}>
                Add
              </Button>
            </Group>
          </form>
          {tags.length > 0 && (
            <div className={styles.tags}>
              {tags.map((tag) => (
                <TagCheckbox key={tag} tag={tag} libraries={libraries} change={change.mutate} />
              ))}
            </div>
          )}
          <FormError error={change.error} fields={[]} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

type TagCheckboxProps = { tag: string; libraries: readonly LibraryItem[]; change: (wanted: TagChange) => void }

function TagCheckbox({ tag, libraries, change }: TagCheckboxProps) {
  const count = libraries.filter(({ tags }) => tags.includes(tag)).length
  const isOnAll = count === libraries.length
  return (
    <Checkbox
      size="xs"
      label={<bdi>{tag}</bdi>}
      checked={isOnAll}
      indeterminate={count > 0 && !isOnAll}
      onChange={() => change({ tag, isAdded: !isOnAll })}
    />
  )
}

/** Changes one tag of each library, and returns what to say. Throws at the first library that cannot be changed. */
async function changeAll(libraries: readonly LibraryItem[], { tag, isAdded }: TagChange): Promise<string> {
  const json = isAdded ? { add: [tag] } : { remove: [tag] }
  for (const { id } of libraries)
    await answerOf(api.projects[':owner'][':repo'].tags.$patch({ param: paramOf(id.slice(1)), json }))
  const count = countOf(libraries.length, 'library', 'libraries')
  return isAdded ? `${count} tagged “${tag}”.` : `Tag “${tag}” removed from ${count}.`
}
