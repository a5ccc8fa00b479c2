import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { type FoundLibraries, Palette } from '../../../shared/web/frame/palette.tsx'
import { api } from '../api/api.ts'
import { sessionQuery } from '../api/session-query.ts'
import { mainPages } from './main-pages.ts'
import { settingsPages } from './settings-pages.ts'

const maxLibraries = 8
const add = { to: '/add', label: 'Add Repository', icon: Plus } as const

/** The palette with the pages and libraries of this install. */
export function InstallPalette({ opened }: { opened: number }) {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const isAdmin = session?.user.role === 'admin'
  const settings = settingsPages.map((page) => ({ ...page, keywords: ['settings'] }))
  return (
    <Palette
      opened={opened}
      groups={[
        { group: 'Pages', entries: mainPages.filter((page) => !('role' in page) || isAdmin) },
        { group: 'Actions', entries: [add] },
        { group: 'Settings', entries: isAdmin ? settings : [] },
      ]}
      useLibraries={useLibraries}
    />
  )
}

function useLibraries(text: string): FoundLibraries {
  const navigate = useNavigate()
  const { data, isPlaceholderData, isFetching, error } = useQuery({
    queryKey: ['libraries', 'palette', text],
    queryFn: () => answerOf(api.projects.$get({ query: { q: text, pageSize: String(maxLibraries) } })),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  const libraries = (data?.projects ?? []).map(({ id, title }) => ({
    id,
    title,
    open: () => void navigate({ to: '/libraries/$', params: { _splat: id.slice(1) } }),
  }))
  return { libraries, isCurrent: !isPlaceholderData, isFetching, error }
}
