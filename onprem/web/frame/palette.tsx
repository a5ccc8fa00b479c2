import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.layer.css'
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { BookText, Plus, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { answerOf, api } from '../api/api.ts'
import { sessionQuery } from '../api/session-query.ts'
import { mainPages } from './navigation.tsx'
import { settingsPages } from './settings-pages.ts'

const maxLibraries = 8

/** The command palette: pages, libraries and actions. It opens whenever `opened` changes. */
export function Palette({ opened }: { opened: number }) {
  const navigate = useNavigate()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const [query, setQuery] = useState('')
  const [asked] = useDebouncedValue(query.trim(), 150)
  const libraries = useQuery({
    queryKey: ['libraries', 'palette', asked],
    queryFn: () => answerOf(api.projects.$get({ query: { q: asked, pageSize: String(maxLibraries) } })),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const isCurrent = asked === query.trim() && !libraries.isPlaceholderData
  const isSearching = !isCurrent || libraries.isFetching
  useEffect(() => {
    if (opened > 0) spotlight.open()
  }, [opened])
  const isAdmin = session?.user.role === 'admin'
  const pages: SpotlightActionData[] = mainPages
    .filter((page) => !('role' in page) || isAdmin)
    .map(({ to, label, icon: Icon }) => ({
      id: to,
      label,
      leftSection: <Icon size={18} aria-hidden />,
      onClick: () => void navigate({ to }),
    }))
  const settings: SpotlightActionData[] = (isAdmin ? settingsPages : []).map(({ to, label, icon: Icon }) => ({
    id: to,
    label,
    keywords: ['settings'],
    leftSection: <Icon size={18} aria-hidden />,
    onClick: () => void navigate({ to }),
  }))
  const actions: SpotlightActionData[] = [
    {
      id: 'add',
      label: 'Add a library',
      leftSection: <Plus size={18} aria-hidden />,
      onClick: () => void navigate({ to: '/add' }),
    },
  ]
  const libraryActions: SpotlightActionData[] = (query.trim() === '' ? [] : (libraries.data?.projects ?? [])).map(
    ({ id, title }) => ({
      id,
      label: title,
      description: id,
      // Until the answer comes, an earlier result stays if it has the new text itself.
      keywords: isCurrent ? [query] : [],
      leftSection: <BookText size={18} aria-hidden />,
      onClick: () => void navigate({ to: '/libraries/$', params: { _splat: id.slice(1) } }),
    }),
  )
  const foundIds = libraryActions.map(({ id }) => id).join(' ')
  useEffect(() => {
    if (foundIds !== '') selectFirst()
  }, [foundIds])
  return (
    <Spotlight
      query={query}
      onQueryChange={setQuery}
      actions={[
        { group: 'Pages', actions: pages },
        { group: 'Actions', actions },
        { group: 'Settings', actions: settings },
        { group: 'Libraries', actions: libraryActions },
      ]}
      nothingFound={isSearching ? 'Searching' : (libraries.error?.message ?? 'Nothing found')}
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
