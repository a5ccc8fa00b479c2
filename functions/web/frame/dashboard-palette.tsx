import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { KeyRound, LogOut, MessageSquareText, Plus, RefreshCw, Users } from 'lucide-react'
import { useState } from 'react'
import { helpPages } from '../../../shared/web/help/help-pages.ts'
import { Palette } from '../../../shared/web/palette/palette.tsx'
import type { EntryGroup, PaletteEntry } from '../../../shared/web/palette/palette-entries.ts'
import type { PaletteProps } from '../../../shared/web/palette/search-dialog.tsx'
import { shortcutsEntry } from '../../../shared/web/palette/shortcuts-entry.ts'
import { useThemeEntries } from '../../../shared/web/palette/theme-entries.ts'
import { showToast } from '../../../shared/web/toast.tsx'
import { lastTeam } from '../api/last-team.ts'
import { libraryPath } from '../api/library-path.ts'
import { librariesQuery } from '../api/library-queries.ts'
import type { Team } from '../api/session-query.ts'
import { useSession } from '../api/use-session.ts'
import { useSignOut } from '../api/use-sign-out.ts'
import { NewTeamKeyDialog } from '../keys/new-team-key-button.tsx'
import { mainPages, morePages } from './main-pages.ts'
import { pagesOf } from './pages-of.ts'
import { settingsPages } from './settings-pages.ts'
import { accountPage } from './use-account.ts'
import { useRefreshLibrary } from './use-refresh-library.ts'

const maxLibraries = 8

/** The palette with the pages, actions and libraries of the shown teamspace, and the other teamspaces. */
export function DashboardPalette(dialog: PaletteProps) {
  const navigate = useNavigate()
  const team = useShownTeam()
  const [isNewKey, setIsNewKey] = useState(false)
  const groups = useGroups(team, { newKey: () => setIsNewKey(true), showShortcuts: dialog.showShortcuts })
  const open = (id: string) =>
    navigate({ to: '/teamspaces/$team/libraries/$owner/$repo', params: { team: team?.id ?? '', ...libraryPath(id) } })
  return (
    <>
      <Palette {...dialog} groups={groups} useFound={useFound} useNamed={useNamed} open={open} />
      {team && <NewTeamKeyDialog key={team.id} team={team} isOpen={isNewKey} onClose={() => setIsNewKey(false)} />}
    </>
  )
}

type Actions = { newKey: () => void; showShortcuts: () => void }

function useGroups(team: Team | undefined, { newKey, showShortcuts }: Actions): EntryGroup[] {
  const { teamspaces } = useSession()
  const signOut = useSignOut()
  const themes = useThemeEntries()
  const actions = useActions(team, newKey)
  const settings = team ? pagesOf(team, settingsPages) : []
  const others = teamspaces.filter(({ id }) => id !== team?.id)
  return [
    { group: 'Pages', entries: team ? pagesOf(team, [...mainPages, ...morePages]) : [] },
    { group: 'Actions', entries: actions },
    { group: 'Settings', entries: settings.map((page) => ({ ...page, keywords: ['settings'] })) },
    {
      group: 'Teamspaces',
      entries: others.map(({ id, name }) => ({ to: `/teamspaces/${id}`, label: name, icon: Users, keywords: ['teamspace'] })),
    },
    {
      group: 'Help',
      entries: [...helpPages.map((page) => ({ ...page, keywords: ['help', 'docs'] })), shortcutsEntry(showShortcuts)],
    },
    {
      group: 'Account',
      entries: [
        accountPage,
        ...themes,
        {
          label: 'Sign out',
          icon: LogOut,
          keywords: ['log'],
          run: () => signOut.mutate(undefined, { onError: ({ message }) => showToast({ message }) }),
        },
      ],
    },
  ]
}

function useActions(team: Team | undefined, newKey: () => void): PaletteEntry[] {
  const navigate = useNavigate()
  const refresh = useRefreshLibrary(team?.id ?? '')
  const newTeam: PaletteEntry = { label: 'New teamspace', icon: Plus, to: '/teamspaces/new' }
  if (!team) return [newTeam]
  return [
    { label: 'Add Repository', icon: Plus, keywords: ['library', 'new'], to: `/teamspaces/${team.id}/libraries/add` },
    {
      label: 'Ask a library',
      icon: MessageSquareText,
      keywords: ['question', 'playground'],
      task: {
        question: 'Ask which library?',
        run: ({ id }) =>
          navigate({
            to: '/teamspaces/$team/libraries/$owner/$repo',
            params: { team: team.id, ...libraryPath(id) },
            search: { tab: 'ask' },
          }),
      },
    },
    {
      label: 'Refresh a library',
      icon: RefreshCw,
      keywords: ['parse', 'update'],
      task: { question: 'Refresh which library?', run: refresh },
    },
    { label: 'New API key', icon: KeyRound, keywords: ['create', 'token'], run: newKey },
    newTeam,
  ]
}

function useShownTeam() {
  const { teamspaces } = useSession()
  const { team } = useParams({ strict: false })
  return teamspaces.find(({ id }) => id === team) ?? lastTeam(teamspaces)
}

/** The libraries of a teamspace are few enough to be read at once. */
function useNamed(text: string | undefined) {
  const team = useShownTeam()?.id ?? ''
  const { data = [], isLoading, error } = useQuery({ ...librariesQuery(team), enabled: text !== undefined && team !== '' })
  const wanted = text?.toLowerCase() ?? ''
  const libraries = data
    .filter(({ id, title }) => id.toLowerCase().includes(wanted) || title.toLowerCase().includes(wanted))
    .slice(0, maxLibraries)
  return { libraries, isCurrent: !isLoading, error }
}

function useFound(text: string) {
  const { libraries, ...rest } = useNamed(text === '' ? undefined : text)
  return { libraries: libraries.map(({ id, title }) => ({ id, title, named: true, matches: [] })), pending: 0, ...rest }
}
