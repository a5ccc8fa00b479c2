import {
  Archive,
  BadgeCheck,
  GitBranch,
  Info,
  KeyRound,
  KeySquare,
  LifeBuoy,
  ListChecks,
  ScrollText,
  ShieldCheck,
  Sparkles,
  ThumbsUp,
  Users,
  Waypoints,
} from 'lucide-react'

/** The pages of the settings, in the order of the list next to them. */
export const settingsPages = [
  { to: '/settings/ai-provider', label: 'LLM Provider', icon: Sparkles, group: 'Models' },
  { to: '/settings/embedding', label: 'Embedding Provider', icon: Waypoints, group: 'Models' },
  { to: '/settings/git-hosts', label: 'Git hosts', icon: GitBranch, group: 'Sources' },
  { to: '/settings/policies', label: 'Policies', icon: ListChecks, group: 'Sources' },
  { to: '/settings/permissions', label: 'Permissions', icon: ShieldCheck, group: 'Access' },
  { to: '/settings/users', label: 'Users', icon: Users, group: 'Access' },
  { to: '/settings/keys', label: 'API Keys', icon: KeySquare, group: 'Access' },
  { to: '/settings/change-credentials', label: 'Change Credentials', icon: KeyRound, group: 'Access' },
  { to: '/settings/audit-log', label: 'Audit log', icon: ScrollText, group: 'Access' },
  { to: '/settings/feedback', label: 'Feedback', icon: ThumbsUp, group: 'System' },
  { to: '/settings/license', label: 'License', icon: BadgeCheck, group: 'System' },
  { to: '/settings/backups', label: 'Backups', icon: Archive, group: 'System' },
  { to: '/settings/support', label: 'Support bundle', icon: LifeBuoy, group: 'System' },
  { to: '/settings/about', label: 'About', icon: Info, group: 'System' },
] as const
