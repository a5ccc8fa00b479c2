import { BadgeCheck, ListChecks, ScrollText } from 'lucide-react'
import type { TeamPage } from './main-pages.ts'

/** The pages of a teamspace's settings, in the order of the list next to them. */
export const settingsPages: readonly TeamPage[] = [
  { to: '/teamspaces/$team/settings/policies', label: 'Policies', icon: ListChecks },
  { to: '/teamspaces/$team/settings/rules', label: 'Rules', icon: ScrollText },
  { to: '/teamspaces/$team/settings/licenses', label: 'Licenses', icon: BadgeCheck },
]
