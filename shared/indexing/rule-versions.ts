import { majorOf, type TagRule, wantedTags } from '../freshness/tag-rule.ts'
import { versionName } from '../library.ts'
import type { SourceSettings } from './indexing-catalog.ts'
import type { StoredVersions } from './source-settings.ts'

export type RuleVersions = {
  /** The tags that the rule asks for and nothing else does, newest first. */
  wanted: string[]
  /** The names of the versions that came by the rule and that it no longer asks for. */
  expired: Set<string>
  /** True if the rule matches no tag. */
  isIdle: boolean
}

type RuleSettings = Pick<SourceSettings, 'tagRule' | 'byRule' | 'named' | 'unwanted'>

/**
 * The decision of a rule about a repository. A version that was added by hand, or that a project file names, never expires. A rule that matches no
 * tag expires nothing: its pattern may be wrong, or another repository has the address now.
 */
export function ruleVersions(
  refs: Iterable<string>,
  stored: StoredVersions,
  { tagRule, byRule = [], named = [], unwanted = [] }: RuleSettings,
  requested: string[] = [],
): RuleVersions {
  const tags = tagRule ? wantedTags(refs, tagRule) : []
  if (tags.length === 0) return { wanted: storedOf(byRule, stored, tagRule), expired: new Set(), isIdle: tagRule !== undefined }
  const cameByRule = new Set(byRule.map(versionName))
  const pinned = new Set([...requested, ...named].map(versionName))
  const isOfRule = (name: string) => !pinned.has(name) && (!stored.has(name) || cameByRule.has(name))
  const wanted = tags.filter((tag) => isOfRule(versionName(tag)) && !unwanted.includes(versionName(tag)))
  const wantedNames = new Set(wanted.map(versionName))
  const expired = [...cameByRule].filter((name) => stored.has(name) && !pinned.has(name) && !wantedNames.has(name))
  return { wanted, expired: new Set(expired), isIdle: false }
}

const storedOf = (byRule: string[], stored: StoredVersions, rule: TagRule | undefined): string[] =>
  rule ? byRule.filter((tag) => stored.has(versionName(tag))) : []

/** The versions that came by a rule and may go: those of a major version stay while a newer tag of it could not be read. */
export function mayExpire(expired: Iterable<string>, failed: Iterable<string>): string[] {
  const incomplete = new Set(Array.from(failed, majorOf))
  return [...expired].filter((version) => !incomplete.has(majorOf(version)))
}

/** The versions without those that came by a rule. */
export function withoutRule(stored: StoredVersions, { byRule = [] }: Pick<SourceSettings, 'byRule'>): StoredVersions {
  const cameByRule = new Set(byRule.map(versionName))
  return new Map([...stored].filter(([name]) => !cameByRule.has(name)))
}
