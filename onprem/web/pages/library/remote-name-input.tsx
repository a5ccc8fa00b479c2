import { Autocomplete, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import type { LibraryDetails } from '../../api/library-query.ts'
import { remoteNamesQuery } from '../../api/version-queries.ts'

type RemoteNameInputProps = { library: LibraryDetails } & ComponentProps<typeof Autocomplete>

const maxShown = 50

/** A field for a tag or branch. The git host is asked for both when the field is entered; any name can be typed. */
export function RemoteNameInput({ library, ...field }: RemoteNameInputProps) {
  const [isEntered, setEntered] = useState(false)
  const names = useQuery({ ...remoteNamesQuery(library.id.slice(1)), enabled: isEntered })
  const isNew = (name: string) => !library.versions.includes(name.replaceAll('/', '~'))
  const { tags = [], branches = [] } = names.data ?? {}
  // A name may be both, and a list has each once.
  const otherBranches = branches.filter((name) => name !== library.branch && !tags.includes(name))
  return (
    <div>
      <Autocomplete
        label="Add a version"
        description="A tag or branch. It is indexed with the settings of the library; old content is served until then."
        spellCheck={false}
        required
        limit={maxShown}
        comboboxProps={{ position: 'top-start' }}
        data={[
          { group: 'Tags', items: tags.filter(isNew) },
          { group: 'Branches', items: otherBranches.filter(isNew) },
        ]}
        {...field}
        onFocus={() => setEntered(true)}
      />
      <Text size="xs" c="dimmed" role="status" mt={4}>
        {names.isFetching && 'Asking the git host for tags and branches …'}
        {names.error && <MessageText>{`Tags cannot be listed: ${names.error.message} A name can still be typed.`}</MessageText>}
        {names.data && `${tags.length} tags and ${branches.length} branches. Type to filter.`}
      </Text>
    </div>
  )
}
