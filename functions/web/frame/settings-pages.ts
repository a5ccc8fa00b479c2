import {
  BadgeCheck,
  BookOpenText,
  EyeOff,
  Gauge,
  GitBranch,
  History,
  ListChecks,
  ScrollText,
  SlidersHorizontal,
} from 'lucide-react'
import type { TeamPage } from './main-pages.ts'

/** The pages of a teamspace's settings, in the order of the list next to them. */
export const settingsPages: readonly TeamPage[] = [
  { to: '/teamspaces/$team/settings/general', label: 'General', icon: SlidersHorizontal, group: 'Teamspace' },
  { to: '/teamspaces/$team/settings/limits', label: 'Limits', icon: Gauge, group: 'Teamspace' },
  { to: '/teamspaces/$team/settings/audit-log', label: 'Audit log', icon: History, role: 'admin', group: 'Teamspace' },
  { to: '/teamspaces/$team/settings/policies', label: 'Policies', icon: ListChecks, group: 'Access' },
  { to: '/teamspaces/$team/settings/rules', label: 'Rules', icon: ScrollText, group: 'Access' },
  { to: '/teamspaces/$team/settings/licenses', label: 'Licenses', icon: BadgeCheck, group: 'Access' },
  { to: '/teamspaces/$team/settings/git-tokens', label: 'Git tokens', icon: GitBranch, group: 'Sources' },
  { to: '/teamspaces/$team/settings/confluence', label: 'Confluence', icon: BookOpenText, group: 'Sources' },
  { to: '/teamspaces/$team/settings/opt-outs', label: 'Opt-outs', icon: EyeOff, group: 'Sources' },
]
