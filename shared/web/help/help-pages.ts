import { BookOpen, Braces, History } from 'lucide-react'

/** The pages of the help menu. */
export const helpPages = [
  { to: '/help', label: 'Documentation', icon: BookOpen },
  { to: '/api-reference', label: 'API reference', icon: Braces },
  { to: '/help/changelog', label: 'Version and changelog', icon: History },
] as const
