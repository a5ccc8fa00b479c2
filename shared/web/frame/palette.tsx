import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.layer.css'
import { useNavigate } from '@tanstack/react-router'
import { BookText, type LucideIcon, Search } from 'lucide-react'
import { useEffect, useState } from 'react'

/** An entry that opens a page. `keywords` find it besides its label. */
export type PaletteEntry = { to: string; label: string; icon: LucideIcon; keywords?: string[] }

/** The libraries that were found for a text. `isCurrent` is false while they are of an earlier text. */
export type FoundLibraries = {
  libraries: readonly { id: string; title: string; open: () => void }[]
  isCurrent: boolean
  isFetching: boolean
  error: Error | null
}

type PaletteProps = {
  opened: number
  groups: readonly { group: string; entries: readonly PaletteEntry[] }[]
  /** A hook that finds libraries. Nothing is asked for an empty text. */
  useLibraries: (text: string) => FoundLibraries
}

/** The command palette: pages, actions and libraries. It opens whenever `opened` changes. */
export function Palette({ opened, groups, useLibraries }: PaletteProps) {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const [asked] = useDebouncedValue(query.trim(), 150)
  const found = useLibraries(asked)
  const isCurrent = asked === query.trim() && found.isCurrent
  const isSearching = !isCurrent || found.isFetching
  useEffect(() => {
    if (opened > 0) spotlight.open()
  }, [opened])
  const entries = groups.map(({ group, entries }) => ({
    group,
    actions: entries.map(({ to, label, icon: Icon, keywords }) => ({
      id: to,
      label,
      ...(keywords && { keywords }),
      leftSection: <Icon size={18} aria-hidden />,
      onClick: () => void navigate({ to }),
    })),
  }))
  const libraries = (query.trim() === '' ? [] : found.libraries).map(({ id, title, open }) => ({
    id,
    label: title,
    description: id,
    // Until the answer comes, an earlier result stays if it has the new text itself.
    keywords: isCurrent ? [query] : [],
    leftSection: <BookText size={18} aria-hidden />,
    onClick: open,
  }))
  const foundIds = libraries.map(({ id }) => id).join(' ')
  useEffect(() => {
    if (foundIds !== '') selectFirst()
  }, [foundIds])
  return (
    <Spotlight
      query={query}
      onQueryChange={setQuery}
      actions={[...entries, { group: 'Libraries', actions: libraries }]}
      nothingFound={isSearching ? 'Searching' : (found.error?.message ?? 'Nothing found')}
      searchProps={{
        leftSection: <Search size={18} aria-hidden />,
        placeholder: 'Pages, libraries, actions',
        'aria-label': 'Search',
      }}
      attributes={{ content: { 'aria-label': 'Search pages and libraries' } }}
      styles={{ actionDescription: { opacity: 1 } }}
      limit={20}
      shortcut={null}
    />
  )
}

/** Selects the first entry if none is selected: Mantine does it when the query changes, before the libraries are found. */
function selectFirst(): void {
  const entries = [...document.querySelectorAll('.mantine-Spotlight-actionsList [data-action]')]
  if (!entries.some((entry) => entry.hasAttribute('data-selected'))) entries[0]?.setAttribute('data-selected', 'true')
}
