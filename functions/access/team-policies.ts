import { z } from 'zod'
import type { Policy } from '../../shared/policy/policy.ts'
import type { PolicyChange } from '../../shared/policy/policy-change.ts'
import { oneLine } from '../../shared/text/one-line.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import { maxRuleChars, maxRules } from './rule-limits.ts'

const rule = z
  .string()
  .overwrite((text) => oneLine(visibleText(text)))
  .min(1, 'must not be empty')
  .max(maxRuleChars, `must not be longer than ${maxRuleChars} characters`)

/** Sentences for the models that read an answer: one line each, without characters that people do not see. */
export const RuleList = z.array(rule).max(maxRules, `must not have more than ${maxRules} rules`)

/** Rules for the answers about every library, and for those about single ones, by their keys. */
export type TeamRules = { global: string[]; libraries: Record<string, string[]> }

/** The settings of a teamspace for the answers to its keys. `policy` is undefined if it allows everything. */
export type Guidance = { policy: Policy | undefined; rules: TeamRules }

/** The policy and the rules of each teamspace, by its id. */
export type TeamPolicies = {
  /** For answers: read at most once in five seconds per process. This process's own changes apply at once. */
  guidance(team: string): Promise<Guidance>
  /** Allows everything if no policy is set. */
  policy(team: string): Promise<Policy>
  /** Changes the policy atomically; `check` gets the policy before and may throw. Throws validation_error if it becomes too large. */
  changePolicy(team: string, change: PolicyChange, check?: (policy: Policy) => void): Promise<Policy>
  rules(team: string): Promise<TeamRules>
  /**
   * Replaces the rules for all libraries, or for the one with this key; none removes them. `check` gets the rules before and may throw.
   * Throws validation_error for too many libraries.
   */
  setRules(team: string, library: string | undefined, rules: string[], check?: (rules: TeamRules) => void): Promise<TeamRules>
  /** Removes both. */
  forget(team: string): Promise<void>
}
