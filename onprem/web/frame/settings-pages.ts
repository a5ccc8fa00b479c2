import {
  Archive,
  BadgeCheck,
  GitBranch,
  Info,
  KeyRound,
  LifeBuoy,
  ListChecks,
  ScrollText,
  ShieldCheck,
  Sparkles,
  Users,
  Waypoints,
} from 'lucide-react'

/** The pages of the settings, in the order of the list next to them. */
export const settingsPages = [
  { to: '/settings/ai-provider', label: 'LLM Provider', icon: Sparkles },
  { to: '/settings/embedding', label: 'Embedding Provider', icon: Waypoints },
  { to: '/settings/git-hosts', label: 'Git hosts', icon: GitBranch },
  { to: '/settings/permissions', label: 'Permissions', icon: ShieldCheck },
  { to: '/settings/policies', label: 'Policies', icon: ListChecks },
  { to: '/settings/change-credentials', label: 'Change Credentials', icon: KeyRound },
  { to: '/settings/users', label: 'Users', icon: Users },
  { to: '/settings/license', label: 'License', icon: BadgeCheck },
  { to: '/settings/audit-log', label: 'Audit log', icon: ScrollText },
  { to: '/settings/backups', label: 'Backups', icon: Archive },
  { to: '/settings/support', label: 'Support bundle', icon: LifeBuoy },
  { to: '/settings/about', label: 'About', icon: Info },
] as const
