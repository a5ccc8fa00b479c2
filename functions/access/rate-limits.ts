import { LRUCache } from 'lru-cache'
import { AppError } from '../../shared/errors.ts'
import { networkOf } from '../../shared/http/client-address.ts'
import type { Log } from '../../shared/log.ts'
import type { RequestLimits } from '../../shared/settings/request-limits.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { withTimeout } from '../../shared/time/with-timeout.ts'
import { userKey } from '../../shared/usage/record-usage.ts'
import type { Salts } from '../../shared/usage/salts.ts'
import type { Caller } from './caller.ts'
import { limitedWork } from './limited-work.ts'
import { addRule, dayRule, exceeded, type Rule, requestRules } from './rate-rules.ts'
import type { RequestCounts } from './request-counts.ts'
import type { Plan, Teamspaces } from './teamspaces.ts'

export type RateLimits = {
  /**
   * Counts a request of a caller. `address` is empty if it is not known. Throws rate_limit_exceeded. A request that cannot be counted
   * passes: the limits protect the service, so their failure must not be its failure.
   */
  request(caller: Caller, address: string): Promise<void>
  /**
   * Runs work that starts a worker for a teamspace. It counts only if it succeeds, and does not run if it cannot be counted. Throws
   * rate_limit_exceeded and what the work throws.
   */
  add<T>(caller: Caller, work: () => Promise<T>): Promise<T>
  /** The limits of a plan, and what a teamspace has used of them today. */
  ofTeamspace(teamspace: string, plan: Plan): Promise<PlanLimit[]>
}

/** `max` is null if there is no limit; `used` and `resetsAt` are null for what is counted per key, or not at all. */
export type PlanLimit = {
  name: 'requestsPerDay' | 'requestsPerMinuteAndKey' | 'addsPerDay'
  max: number | null
  used: number | null
  resetsAt: string | null
}

export const noRateLimits: RateLimits = {
  request: async () => undefined,
  add: (_caller, work) => work(),
  ofTeamspace: async () => (['requestsPerDay', 'requestsPerMinuteAndKey', 'addsPerDay'] as const).map(unlimited),
}

const unlimited = (name: PlanLimit['name']): PlanLimit => ({ name, max: null, used: null, resetsAt: null })

type RateLimitPorts = {
  limits: RequestLimits
  counts: RequestCounts
  teamspaces: Pick<Teamspaces, 'get'>
  salts: Pick<Salts, 'saltOf'>
  log: Log
  now(): Date
}

const maxRemembered = 10_000
const planMs = 60_000
/** A request does not wait longer for the salt or for its plan. */
const waitMs = 500

/** Limits per key, per teamspace and per address of callers without a key, counted over all processes. */
export function rateLimits({ limits, counts, teamspaces, salts, log, now }: RateLimitPorts): RateLimits {
  /** Windows that are full, so that a flood of rejected requests costs no writes. */
  const full = new LRUCache<string, true>({ max: maxRemembered })
  const plans = new LRUCache<string, Plan>({ max: maxRemembered, ttl: planMs })

  async function planOf(teamspace: string): Promise<Plan> {
    const find = () => withTimeout('The plan', waitMs, () => teamspaces.get(teamspace))
    const plan = plans.get(teamspace) ?? (await find())?.plan ?? 'free'
    plans.set(teamspace, plan)
    return plan
  }

  /** The network of the address, hashed with the salt of the day. */
  async function hashed(address: string): Promise<string> {
    const salt = await withTimeout('The salt', waitMs, () => salts.saltOf(utcDay(now())))
    return userKey({ salt, address: networkOf(address), userAgent: '' })
  }

  async function rulesOf(caller: Caller, address: string): Promise<Rule[]> {
    const plan =
      caller.kind === 'teamspace' ? await planOf(caller.teamspace) : caller.kind === 'license' ? 'enterprise' : 'anonymous'
    const isLimited = caller.kind === 'anonymous' && address !== '' && limits.anonymous.minute !== undefined
    return requestRules(limits, { caller, plan, addressHash: isLimited ? await hashed(address) : undefined }, now())
  }

  async function take(rule: Rule): Promise<void> {
    const id = `${rule.subject} ${rule.window}`
    if (!full.has(id) && (await counts.add(rule, 1)) <= rule.max) return
    full.set(id, true)
    throw exceeded(rule, now())
  }

  async function used(name: PlanLimit['name'], rule: Rule | undefined): Promise<PlanLimit> {
    if (rule === undefined) return unlimited(name)
    return { name, max: rule.max, used: Math.min(rule.max, await counts.count(rule)), resetsAt: rule.endsAt.toISOString() }
  }

  return {
    async ofTeamspace(teamspace, plan) {
      const { minute = null } = limits[plan]
      return [
        await used('requestsPerDay', dayRule(limits[plan], teamspace, plan, now())),
        { ...unlimited('requestsPerMinuteAndKey'), max: minute },
        await used('addsPerDay', addRule(limits[plan], teamspace, plan, now())),
      ]
    },

    async request(caller, address) {
      try {
        for (const rule of await rulesOf(caller, address)) await take(rule)
      } catch (error) {
        if (error instanceof AppError) throw error
        log.warn({ error }, 'a request was not counted for its limit')
      }
    },

    async add(caller, work) {
      if (caller.kind !== 'teamspace') return work()
      const plan = await planOf(caller.teamspace)
      const rule = addRule(limits[plan], caller.teamspace, plan, now())
      if (rule === undefined) return work()
      return limitedWork({ counts, log, now }, rule, work)
    },
  }
}
