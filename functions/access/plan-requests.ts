import type { Plan } from './teamspaces.ts'

/** A wish for another plan, which the operator fulfils by a command. `by` is the id of a user. */
export type PlanRequest = { plan: Plan; message: string; contact: string; by: string; at: string }

/** At most one per teamspace, kept for 90 days. */
export type PlanRequests = {
  /** Replaces an earlier one. */
  put(team: string, request: Omit<PlanRequest, 'at'>): Promise<PlanRequest>
  find(team: string): Promise<PlanRequest | undefined>
  list(): Promise<(PlanRequest & { team: string })[]>
  remove(team: string): Promise<void>
}
