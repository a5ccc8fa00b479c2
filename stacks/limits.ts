import { z } from 'zod'
import { wholeNumberOr } from '../shared/schemas/whole-number.ts'
import { readEnvironment } from '../shared/settings/read-environment.ts'
import { readRequestLimits } from '../shared/settings/request-limits.ts'
import { production } from './stage.ts'

const maxNumber = 9_999_999

const { REQUEST_LIMITS, REQUESTS_PER_SECOND, MONTHLY_BUDGET_USD } = readEnvironment(
  z.object({
    REQUEST_LIMITS: z.string().optional(),
    REQUESTS_PER_SECOND: wholeNumberOr(100, 1, maxNumber),
    MONTHLY_BUDGET_USD: wholeNumberOr(production ? 500 : 50, 1, maxNumber),
  }),
  process.env,
)

/** Changes to the limits of keys, teamspaces and addresses. The functions read the variable again. */
export const requestLimitsVariable: Record<string, string> = REQUEST_LIMITS === undefined ? {} : { REQUEST_LIMITS }
if (REQUEST_LIMITS !== undefined) readRequestLimits(REQUEST_LIMITS)

/** Requests that API Gateway passes on: the ceiling of what a flood can cost, since it can be reached without the Router. */
export const requestsPerSecond = REQUESTS_PER_SECOND

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
  Checks: 1,
}

/** Requests of one address in five minutes, ten times those without a key. The highest limit of a key is counted in the functions. */
export const requestsPerAddress = 3_000

/** The costs of the account in a month, in US dollars, from which an alarm fires. */
export const monthlyBudgetUsd = MONTHLY_BUDGET_USD
