import { UnstyledButton } from '@mantine/core'
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.layer.css'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { BookText, Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { answerOf, api } from '../api/client.ts'
import { sessionQuery } from '../api/session.ts'
import styles from './frame.module.css'
import { mainPages } from './navigation.tsx'

const maxLibraries = 8

export const PaletteButton = () => (
  <UnstyledButton className={styles.link} onClick={spotlight.open} aria-label="Search pages and libraries">
    <Search size={18} aria-hidden />
    <span className={styles.label}>Search</span>
    <kbd className={styles.key}>{isMac() ? '⌘K' : 'Ctrl K'}</kbd>
  </UnstyledButton>
)

/** The command palette: pages, libraries and actions. */
export function Palette() {
  const navigate = useNavigate()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const [query, setQuery] = useState('')
  const libraries = useQuery({
    queryKey: ['palette', query],
    queryFn: () => answerOf(api.projects.$get({ query: { q: query, pageSize: String(maxLibraries) } })),
    enabled: query.trim() !== '',
    placeholderData: (previous) => previous,
  })
  const pages: SpotlightActionData[] = mainPages
    .filter((page) => !('role' in page) || session?.user.role === page.role)
    .map(({ to, label, icon: Icon }) => ({
      id: to,
      label,
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
  const found: SpotlightActionData[] = (query.trim() === '' ? [] : (libraries.data?.projects ?? [])).map(({ id, title }) => ({
    id,
    label: title,
    description: id,
    keywords: [query],
    leftSection: <BookText size={18} aria-hidden />,
    onClick: () => void navigate({ to: '/libraries/$', params: { _splat: id.slice(1) } }),
  }))
  return (
    <Spotlight
      query={query}
      onQueryChange={setQuery}
      actions={[
        { group: 'Pages', actions: pages },
        { group: 'Actions', actions },
        { group: 'Libraries', actions: found },
      ]}
      nothingFound="Nothing found"
      searchProps={{
        leftSection: <Search size={18} aria-hidden />,
        placeholder: 'Pages, libraries, actions',
        'aria-label': 'Search',
      }}
      limit={20}
    />
  )
}

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform)
