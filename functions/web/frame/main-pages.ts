import { ChartColumn, FileArchive, KeyRound, Library, ListTodo, type LucideIcon, PlugZap, Settings, Users } from 'lucide-react'
import type { Team } from '../api/session-query.ts'

/** A page of a teamspace: `to` has its id as `$team`. Only members with this role or a higher one see it. */
export type TeamPage = { to: string; label: string; icon: LucideIcon; role?: Team['role']; group?: string; isInBar?: boolean }

/** The main pages, in the order of the sidebar. Phones have a bar for two of them. */
export const mainPages: readonly TeamPage[] = [
  { to: '/teamspaces/$team/libraries', label: 'Libraries', icon: Library, isInBar: true },
  { to: '/teamspaces/$team/jobs', label: 'Jobs', icon: ListTodo, isInBar: true },
  { to: '/teamspaces/$team/usage', label: 'Usage', icon: ChartColumn },
]

/** The main pages below "More". */
export const morePages: readonly TeamPage[] = [
  { to: '/teamspaces/$team/connect', label: 'Connect', icon: PlugZap },
  { to: '/teamspaces/$team/keys', label: 'API keys', icon: KeyRound },
  { to: '/teamspaces/$team/members', label: 'Members', icon: Users },
  { to: '/teamspaces/$team/export', label: 'Export Libraries', icon: FileArchive },
  { to: '/teamspaces/$team/settings', label: 'Settings', icon: Settings },
]
