import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { allLibraries } from './playground-search.ts'
import type { UseLibraryIds } from './question-form.tsx'

type ComparedLibraryProps = { value: string; onChange: (id: string) => void; useLibraryIds: UseLibraryIds }

/** The library or version that the second column asks. */
export function ComparedLibrary({ value, onChange, useLibraryIds }: ComparedLibraryProps) {
  const [text, setText] = useState(value)
  const [name] = useDebouncedValue(text.replace(/[@ ].*$/, ''), 200)
  const ids = useLibraryIds(name) ?? []
  return (
    <Select
      label="Library or version"
      size="xs"
      searchable
      allowDeselect={false}
      selectFirstOptionOnChange
      data={[...new Set([value, ...ids])].filter((id) => id !== allLibraries)}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => id !== null && onChange(id)}
      nothingFoundMessage="No library matches"
    />
  )
}
