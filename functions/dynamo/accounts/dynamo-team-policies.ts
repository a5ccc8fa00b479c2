import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { LRUCache } from 'lru-cache'
import { AppError } from '../../../shared/errors.ts'
import { openPolicy, type Policy } from '../../../shared/policy/policy.ts'
import { applyChange } from '../../../shared/policy/policy-change.ts'
import { maxRuledLibraries } from '../../access/rule-limits.ts'
import type { Guidance, TeamPolicies, TeamRules } from '../../access/team-policies.ts'
import { readItem } from '../read-items.ts'
import { allItems, type Table } from '../table.ts'
import { changeItem } from './change-item.ts'

/** How long an answer of another process may follow an older policy. */
const keptMs = 5_000
const maxKeptBytes = 20_000_000
/** Half of what an item may have. */
const maxRulesBytes = 200_000

type Kept = { at: number; guidance: Guidance }

/**
 * Policies and rules in the partition of policies, where the API may write: it must not write to the partitions of teamspaces. One query
 * reads both.
 */
export function dynamoTeamPolicies({ table, now }: { table: Table; now(): Date }): TeamPolicies {
  const kept = new LRUCache<string, Kept>({ maxSize: maxKeptBytes, sizeCalculation: bytesOf })
  const at = () => now().toISOString()

  const storedRules = (value: unknown): TeamRules => (value as TeamRules | undefined) ?? { global: [], libraries: {} }

  return {
    async guidance(team) {
      const ready = kept.get(team)
      const ageMs = now().getTime() - (ready?.at ?? 0)
      if (ready && ageMs >= 0 && ageMs < keptMs) return ready.guidance
      const readAt = now().getTime()
      const items = new Map((await allItems(table, partOf(team))).map((item) => [item.sk, item]))
      const policy = items.get('TEAM')?.policy as Policy | undefined
      const guidance = { policy, rules: storedRules(items.get('RULES')?.rules) }
      kept.set(team, { at: readAt, guidance })
      return guidance
    },

    policy: async (team) => ((await readItem(table, policyKey(team)))?.policy as Policy | undefined) ?? openPolicy(),

    async changePolicy(team, change, check) {
      const apply = (stored = openPolicy()) => {
        check?.(stored)
        return applyChange(stored, change)
      }
      const changed = await changeItem<Policy>(table, { key: policyKey(team), attribute: 'policy', at: at(), change: apply })
      kept.delete(team)
      return changed
    },

    rules: async (team) => storedRules((await readItem(table, rulesKey(team)))?.rules),

    async setRules(team, library, rules, check) {
      const apply = (stored: TeamRules | undefined) => {
        const before = storedRules(stored)
        check?.(before)
        return withRules(before, library, rules)
      }
      const changed = await changeItem<TeamRules>(table, { key: rulesKey(team), attribute: 'rules', at: at(), change: apply })
      kept.delete(team)
      return changed
    },

    async forget(team) {
      for (const Key of [policyKey(team), rulesKey(team)]) await table.db.send(new DeleteCommand({ TableName: table.name, Key }))
      kept.delete(team)
    },
  }
}

const partOf = (team: string): string => `POLICY#${team}`
const policyKey = (team: string) => ({ pk: partOf(team), sk: 'TEAM' })
const rulesKey = (team: string) => ({ pk: partOf(team), sk: 'RULES' })

const bytesOf = ({ guidance }: Kept): number => JSON.stringify(guidance).length

function withRules({ global, libraries }: TeamRules, library: string | undefined, rules: string[]): TeamRules {
  if (library === undefined) return checked({ global: rules, libraries })
  const { [library]: _, ...others } = libraries
  return checked({ global, libraries: rules.length === 0 ? others : { ...others, [library]: rules } })
}

function checked(rules: TeamRules): TeamRules {
  if (Object.keys(rules.libraries).length > maxRuledLibraries)
    throw new AppError(
      'validation_error',
      `A teamspace may have rules for ${maxRuledLibraries} libraries. Remove those of another.`,
    )
  if (Buffer.byteLength(JSON.stringify(rules)) > maxRulesBytes)
    throw new AppError('validation_error', `The rules of a teamspace may have ${maxRulesBytes / 1000} kB together. Remove some.`)
  return rules
}
