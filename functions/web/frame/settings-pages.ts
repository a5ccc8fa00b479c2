import type { TeamPage } from './main-pages.ts'

/** The pages of a teamspace's settings, in the order of the list next to them. */
export const settingsPages: readonly TeamPage[] = []
