import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Plus, UserCog, Users } from 'lucide-react'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { type FoundLibraries, Palette } from '../../../shared/web/frame/palette.tsx'
import { api } from '../api/api.ts'
import { lastTeam } from '../api/last-team.ts'
import { useSession } from '../api/use-session.ts'
import { mainPages, morePages } from './main-pages.ts'
import { pagesOf } from './pages-of.ts'
import { settingsPages } from './settings-pages.ts'

const maxLibraries = 8
const account = { to: '/account', label: 'Account', icon: UserCog } as const
const newTeam = { to: '/teamspaces/new', label: 'New teamspace', icon: Plus } as const

/** The palette with the pages and libraries of the shown teamspace, and the other teamspaces. */
export function DashboardPalette({ opened }: { opened: number }) {
  const { teamspaces } = useSession()
  const team = useShownTeam()
  const others = teamspaces.filter(({ id }) => id !== team?.id)
  return (
    <Palette
      opened={opened}
      groups={[
        { group: 'Pages', entries: [...(team ? pagesOf(team, [...mainPages, ...morePages]) : []), account] },
        { group: 'Actions', entries: [newTeam] },
        {
          group: 'Settings',
          entries: team ? pagesOf(team, settingsPages).map((page) => ({ ...page, keywords: ['settings'] })) : [],
        },
        {
          group: 'Teamspaces',
          entries: others.map(({ id, name }) => ({ to: `/teamspaces/${id}`, label: name, icon: Users, keywords: ['teamspace'] })),
        },
      ]}
      useLibraries={useLibraries}
    />
  )
}

function useShownTeam() {
  const { teamspaces } = useSession()
  const { team } = useParams({ strict: false })
  return teamspaces.find(({ id }) => id === team) ?? lastTeam(teamspaces)
}

/** The libraries are few enough to be read at once. */
function useLibraries(text: string): FoundLibraries {
  const navigate = useNavigate()
  const team = useShownTeam()?.id ?? ''
  const { data, isFetching, error } = useQuery({
    queryKey: ['teamspaces', team, 'libraries', 'palette'],
    queryFn: () => answerOf(api.teamspaces[':team'].libraries.$get({ param: { team } })),
    enabled: text !== '' && team !== '',
  })
  const wanted = text.toLowerCase()
  const libraries = (data?.libraries ?? [])
    .filter(({ id, title }) => id.toLowerCase().includes(wanted) || title.toLowerCase().includes(wanted))
    .slice(0, maxLibraries)
    .map(({ id, title }) => ({ id, title, open: () => void navigate({ to: `/teamspaces/${team}/libraries${id}` }) }))
  return { libraries, isCurrent: true, isFetching, error }
}
