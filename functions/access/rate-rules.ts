import { AppError } from '../../shared/errors.ts'
import type { RequestLimit, RequestLimits } from '../../shared/settings/request-limits.ts'
import type { Caller } from './caller.ts'
import type { CountedWindow } from './request-counts.ts'

/** At most `max` requests in a window. `who` is the subject of a sentence, `what` says what it may do, with # for `max`. */
export type Rule = CountedWindow & { max: number; who: string; what: string; hint?: string }

const minuteMs = 60_000
const dayMs = 86_400_000

/** The rules for a request. `addressHash` is undefined if the address is not known. Licenses have the limits of the plan `enterprise`. */
export function requestRules(
  limits: RequestLimits,
  { caller, plan, addressHash }: { caller: Caller; plan: keyof RequestLimits; addressHash: string | undefined },
  now: Date,
): Rule[] {
  const perMinute = { ...windowOf(now, minuteMs), max: limits[plan].minute, what: 'send # requests a minute' }
  const perDay = { ...windowOf(now, dayMs), max: limits[plan].day, what: 'send # requests a day' }
  switch (caller.kind) {
    case 'anonymous':
      return addressHash === undefined
        ? []
        : rules([{ ...perMinute, subject: `address:${addressHash}`, who: 'An address without a key', hint }])
    case 'teamspace':
      return rules([
        { ...perMinute, subject: `key:${caller.keyId}`, who: `A key of ${ofPlan(plan)}` },
        { ...perDay, subject: `team:${caller.teamspace}`, who: ofPlan(plan) },
      ])
    case 'license':
      return rules([perMinute, perDay].map((rule) => ({ ...rule, subject: `license:${caller.license.id}`, who: 'A license' })))
  }
}

/** The rule for what a user does on a day; `what` as in Rule. `name` separates its number from others. */
export function userRule(user: string, { name, what, max }: { name: string; what: string; max: number }, now: Date): Rule {
  const { window, endsAt } = windowOf(now, dayMs)
  return { subject: `user:${user}`, window: `${window} ${name}`, endsAt, max, who: 'A person', what }
}

/** The rule for new teamspaces of one network, by its hash, whoever is signed in. */
export function teamspacesOfNetworkRule(networkHash: string, now: Date): Rule {
  const { window, endsAt } = windowOf(now, dayMs)
  const rule = { subject: `address:${networkHash}`, window: `${window} teamspaces`, endsAt }
  return { ...rule, max: 50, who: 'An address', what: 'create # teamspaces a day' }
}

/** The rules for takedown requests: of all callers together, and of one network, by its hash. */
export function takedownRules(networkHash: string, now: Date): [all: Rule, network: Rule] {
  const { window, endsAt } = windowOf(now, dayMs)
  const rule = { window: `${window} takedowns`, endsAt, what: 'send # takedown requests a day' }
  return [
    { ...rule, subject: 'takedowns', max: 500, who: 'All callers together' },
    { ...rule, subject: `address:${networkHash}`, max: 5, who: 'An address' },
  ]
}

const hint = ' The key of a teamspace has higher limits.'
const ofPlan = (plan: string): string => `a teamspace of the plan ${plan}`

/** The rule for the requests of a teamspace on a day; undefined if there is none. */
export function dayRule({ day }: RequestLimit, teamspace: string, plan: string, now: Date): Rule | undefined {
  const rule = { ...windowOf(now, dayMs), subject: `team:${teamspace}`, max: day }
  return rules([{ ...rule, who: ofPlan(plan), what: 'send # requests a day' }])[0]
}

/** The rule for adding and refreshing libraries; undefined if there is none. */
export function addRule({ adds }: RequestLimit, teamspace: string, plan: string, now: Date): Rule | undefined {
  const { window, endsAt } = windowOf(now, dayMs)
  const rule = { subject: `team:${teamspace}`, window: `${window} adds`, endsAt, max: adds }
  return rules([{ ...rule, who: ofPlan(plan), what: 'add or refresh # libraries a day' }])[0]
}

export function exceeded({ who, what, max, hint = '', endsAt }: Rule, now: Date): AppError {
  const retryAfterMs = Math.max(1_000, endsAt.getTime() - now.getTime())
  const allowed = `${who[0]?.toUpperCase()}${who.slice(1)} may ${what.replace('#', max.toLocaleString('en'))}.`
  return new AppError('rate_limit_exceeded', `${allowed} Try again in ${waitOf(retryAfterMs)}.${hint}`, {
    retryAfterMs,
    limitRequests: max,
  })
}

const rules = (given: (Omit<Rule, 'max'> & { max: number | undefined })[]): Rule[] =>
  given.filter((rule): rule is Rule => rule.max !== undefined)

/** The minute or the day of a time, in UTC. */
function windowOf(now: Date, ms: number): Omit<CountedWindow, 'subject'> {
  const beganMs = Math.floor(now.getTime() / ms) * ms
  return { window: new Date(beganMs).toISOString().slice(0, ms === dayMs ? 10 : 16), endsAt: new Date(beganMs + ms) }
}

function waitOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 120) return seconds === 1 ? 'a second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`
}
