import type { Limits } from '../../api/teamspace-queries.ts'

export type Plan = Limits['plan']

export const planTexts: Record<Plan, { label: string; about: string }> = {
  free: { label: 'Free', about: 'Public libraries, with a small number of requests a day' },
  team: { label: 'Team', about: 'Private libraries, and more requests a day' },
  enterprise: { label: 'Enterprise', about: 'Private libraries, and no limits' },
}
