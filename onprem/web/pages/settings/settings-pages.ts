import { BadgeCheck } from 'lucide-react'

/** The pages of the settings, in the order of the list beside them. */
export const settingsPages = [{ to: '/settings/license', label: 'License', icon: BadgeCheck }] as const
