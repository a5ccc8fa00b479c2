import type { Log } from '../../shared/log.ts'
import { exceeded, type Rule } from './rate-rules.ts'
import type { RequestCounts } from './request-counts.ts'

type LimitedWorkPorts = { counts: RequestCounts; log: Log; now(): Date }

/** Runs work that a rule limits. It counts only if it succeeds. Throws rate_limit_exceeded and what the work throws. */
export async function limitedWork<T>({ counts, log, now }: LimitedWorkPorts, rule: Rule, work: () => Promise<T>): Promise<T> {
  const count = await counts.add(rule, 1)
  try {
    if (count > rule.max) throw exceeded(rule, now())
    return await work()
  } catch (error) {
    const onFailure = (failed: unknown) => log.warn({ error: failed }, 'work that failed stays counted for its limit')
    await counts.add(rule, -1).catch(onFailure)
    throw error
  }
}

/** Counts an attempt for a rule, whether or not it succeeds: for work that costs others something. Throws rate_limit_exceeded. */
export async function countAttempt({ counts, now }: Omit<LimitedWorkPorts, 'log'>, rule: Rule): Promise<void> {
  if ((await counts.add(rule, 1)) > rule.max) throw exceeded(rule, now())
}
