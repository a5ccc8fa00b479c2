import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { KeyRound, LogOut, MessageSquareText, Plus, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { helpPages } from '../../../shared/web/help/help-pages.ts'
import { type NamedLibraries, Palette } from '../../../shared/web/palette/palette.tsx'
import type { EntryGroup, PaletteEntry } from '../../../shared/web/palette/palette-entries.ts'
import type { PaletteProps } from '../../../shared/web/palette/search-dialog.tsx'
import { shortcutsEntry } from '../../../shared/web/palette/shortcuts-entry.ts'
import { useThemeEntries } from '../../../shared/web/palette/theme-entries.ts'
import type { FoundMatch } from '../../../shared/web/search/found.ts'
import { showToast } from '../../../shared/web/toast.tsx'
import { api } from '../api/api.ts'
import { placeLink } from '../api/place-link.ts'
import { sessionQuery } from '../api/session-query.ts'
import { useFound } from '../api/use-found.ts'
import { useSignOut } from '../api/use-sign-out.ts'
import { NewOwnKeyDialog } from '../keys/new-own-key-button.tsx'
import { DeleteLibraryDialog, useDeleteLibrary } from './delete-library-dialog.tsx'
import { mainPages } from './main-pages.ts'
import { settingsPages } from './settings-pages.ts'
import { accountPage } from './use-account.ts'
import { useRefreshLibrary } from './use-refresh-library.ts'

const maxLibraries = 8

/** The palette with the pages, actions and libraries of this install. */
export function InstallPalette(dialog: PaletteProps) {
  const navigate = useNavigate()
  const [isNewKey, setIsNewKey] = useState(false)
  const deletion = useDeleteLibrary()
  const groups = useGroups({ newKey: () => setIsNewKey(true), deleteLibrary: deletion.ask, showShortcuts: dialog.showShortcuts })
  const open = (id: string, match?: FoundMatch) => navigate(placeLink(id, match))
  const openAll = (q: string) => navigate({ to: '/search', search: { q } })
  return (
    <>
      <Palette {...dialog} groups={groups} useFound={useFound} useNamed={useNamed} open={open} openAll={openAll} />
      <NewOwnKeyDialog isOpen={isNewKey} onClose={() => setIsNewKey(false)} />
      <DeleteLibraryDialog {...deletion} />
    </>
  )
}

type Actions = { newKey: () => void; showShortcuts: () => void; deleteLibrary: (id: string) => Promise<void> }

function useGroups({ newKey, deleteLibrary, showShortcuts }: Actions): EntryGroup[] {
  const navigate = useNavigate()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const signOut = useSignOut()
  const refresh = useRefreshLibrary()
  const themes = useThemeEntries()
  const isAdmin = session?.user.role === 'admin'
  const actions: PaletteEntry[] = [
    { label: 'Add Repository', icon: Plus, keywords: ['library', 'new', 'import'], to: '/add' },
    {
      label: 'Ask a library',
      icon: MessageSquareText,
      keywords: ['question', 'playground'],
      task: {
        question: 'Ask which library?',
        run: ({ id }) => navigate({ to: '/playground', search: { libraries: [id] } }),
      },
    },
    {
      label: 'Refresh a library',
      icon: RefreshCw,
      keywords: ['parse', 'update'],
      task: { question: 'Refresh which library?', run: refresh },
    },
    {
      label: 'Delete a library',
      icon: Trash2,
      keywords: ['remove'],
      task: { question: 'Delete which library?', run: ({ id }) => deleteLibrary(id) },
    },
    { label: 'New API key', icon: KeyRound, keywords: ['create', 'token'], run: newKey },
  ]
  return [
    { group: 'Pages', entries: mainPages.filter((page) => !('role' in page) || isAdmin) },
    { group: 'Actions', entries: actions },
    { group: 'Settings', entries: isAdmin ? settingsPages.map((page) => ({ ...page, keywords: ['settings'] })) : [] },
    {
      group: 'Help',
      entries: [...helpPages.map((page) => ({ ...page, keywords: ['help', 'docs'] })), shortcutsEntry(showShortcuts)],
    },
    {
      group: 'Account',
      entries: [
        { ...accountPage, keywords: ['account', 'password', 'keys', 'sessions'] },
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

/** The libraries of a task. */
function useNamed(text: string | undefined): NamedLibraries {
  const { data, isPlaceholderData, isFetching, error } = useQuery({
    queryKey: ['libraries', 'palette', text],
    queryFn: () => answerOf(api.projects.$get({ query: { q: text ?? '', pageSize: String(maxLibraries) } })),
    enabled: text !== undefined,
    placeholderData: keepPreviousData,
  })
  return { libraries: data?.projects ?? [], isCurrent: !isPlaceholderData && !(isFetching && !data), error }
}
