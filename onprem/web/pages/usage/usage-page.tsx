import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../../../../shared/web/page.tsx'
import { libraryListQuery } from '../../api/library-query.ts'
import { UsageContent } from './usage-content.tsx'

export function UsagePage() {
  const search = useSearch({ from: '/signed-in/frame/usage' })
  const navigate = useNavigate({ from: '/usage' })
  return (
    <Page title="Usage">
      <UsageContent
        request={search}
        changeDays={(days) => void navigate({ search: (before) => ({ ...before, days }) })}
        filters={
          <LibraryFilter
            key={search.library}
            value={search.library}
            onChange={(library) => void navigate({ search: (before) => ({ ...before, library }) })}
          />
        }
      />
    </Page>
  )
}

/** Searches the libraries on the server. */
function LibraryFilter({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const [text, setText] = useState(value)
  const [q] = useDebouncedValue(text === value ? '' : text, 200)
  const { data } = useQuery(libraryListQuery({ q: q || undefined, pageSize: '50', sort: 'title' }))
  const ids = (data?.projects ?? []).map(({ id }) => id)
  return (
    <Select
      aria-label="Library"
      placeholder="All libraries"
      searchable
      clearable
      data={[...new Set([...(value ? [value] : []), ...ids])]}
      value={value || null}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => onChange(id ?? '')}
      filter={({ options }) => options}
      nothingFoundMessage="No library matches"
    />
  )
}
