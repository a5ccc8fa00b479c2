import { Select } from '@mantine/core'
import { useState } from 'react'
import { allLibraries } from './playground-search.ts'
import type { UseLibraryIds } from './playground-source.ts'
import { useFirstMatch, useLibraryMatches } from './use-first-match.ts'

type ComparedLibraryProps = { value: string; onChange: (id: string) => void; useLibraryIds: UseLibraryIds }

/** The library or version that the second column asks. Its own versions come first. */
export function ComparedLibrary({ value, onChange, useLibraryIds }: ComparedLibraryProps) {
  const [text, setText] = useState(value)
  const typed = text === value ? '' : text
  const { ids, isSettled, nothingFoundMessage } = useLibraryMatches(typed, useLibraryIds)
  const own = useLibraryIds(withoutVersion(value)).ids.filter((id) => withoutVersion(id) === withoutVersion(value))
  return (
    <Select
      label="Library or version"
      size="xs"
      searchable
      allowDeselect={false}
      {...useFirstMatch(typed, isSettled)}
      data={[...new Set([value, ...own, ...ids])].filter((id) => id !== allLibraries)}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => id !== null && onChange(id)}
      // Typing begins a new choice.
      onFocus={(event) => event.currentTarget.select()}
      nothingFoundMessage={nothingFoundMessage}
    />
  )
}

const withoutVersion = (id: string) => id.replace(/@.*$/, '')
