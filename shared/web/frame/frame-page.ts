import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/**
 * A page in the navigation. `name` is what a screen reader says instead of `label`; `badge` stands next to it. Phones show pages without
 * `isInBar` in a sheet.
 */
export type FramePage = { to: string; label: string; icon: LucideIcon; name?: string; badge?: ReactNode; isInBar?: boolean }

/** The signed-in user, and the page of their settings. */
export type FrameAccount = { name: string; page: FramePage; signOut: () => void; error: Error | null }
