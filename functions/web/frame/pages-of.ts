import type { Team } from '../api/session-query.ts'
import type { TeamPage } from './main-pages.ts'

const roles: readonly Team['role'][] = ['developer', 'admin', 'owner']

export const isAtLeast = (role: Team['role'], needed: Team['role']): boolean => roles.indexOf(role) >= roles.indexOf(needed)

/** The pages that the user may open in a teamspace, with their addresses. */
export const pagesOf = (team: Team, pages: readonly TeamPage[]) =>
  pages
    .filter(({ role }) => role === undefined || isAtLeast(team.role, role))
    .map(({ role, to, ...page }) => ({ ...page, to: to.replace('$team', team.id) }))
