import { type CheckDuePorts, type CheckedRound, checkDue } from './check-due.ts'
import { type PlanChecksPorts, planChecks } from './plan-checks.ts'

export type { CheckedRound }
export type CheckRoundPorts = CheckDuePorts & PlanChecksPorts

/** Plans checks, then makes those that are due. Checks are made also if none can be planned; then it throws. */
export async function checkRound(ports: CheckRoundPorts, signal?: AbortSignal): Promise<CheckedRound> {
  const planned = planChecks(ports)
  await planned.catch(() => undefined)
  const counts = await checkDue(ports, signal)
  await planned
  return counts
}
