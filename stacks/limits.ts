import { readRequestLimits } from '../shared/settings/request-limits.ts'
import { production } from './stage.ts'

/** Changes to the limits of keys, teamspaces and addresses. The functions read the variable again. */
const requestLimits = process.env.REQUEST_LIMITS ?? ''
if (requestLimits !== '') readRequestLimits(requestLimits)
export const requestLimitsVariable: Record<string, string> = requestLimits === '' ? {} : { REQUEST_LIMITS: requestLimits }

/** Requests that API Gateway passes on: the ceiling of what a flood can cost, since it can be reached without the Router. */
export const requestsPerSecond = wholeNumber('REQUESTS_PER_SECOND', 100)

/** Concurrent runs of each function. They are taken from the account's quota, of which AWS keeps 100 for functions without a number. */
export const concurrentRuns: Record<string, number> = {
  // A question takes less than a second.
  Api: requestsPerSecond,
  Dashboard: 20,
  Export: 10,
  Bundle: 5,
  // A shard of the stream has one run at a time.
  ApplyUsage: 50,
  StartWorker: 5,
  // Replays wait for each other. Lambda keeps events that have to wait for six hours.
  ReplayUsage: 1,
  // Two runs would do the same work twice.
  Schedule: 1,
}

/** Requests of one address in five minutes, ten times those without a key. The highest limit of a key is counted in the functions. */
export const requestsPerAddress = 3_000

/** The costs of the account in a month, in US dollars, from which an alarm fires. */
export const monthlyBudgetUsd = wholeNumber('MONTHLY_BUDGET_USD', production ? 500 : 50)

function wholeNumber(name: string, byDefault: number): number {
  const text = process.env[name] || String(byDefault)
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new Error(`${name} must be a whole number above 0.`)
}
