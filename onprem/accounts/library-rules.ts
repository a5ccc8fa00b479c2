import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../shared/errors.ts'
import { transaction } from '../../shared/store/database.ts'
import { bySpecificity, keysOf, matches, partsOf } from './library-pattern.ts'

/**
 * `public`: all who may read; `internal`: people who are signed in and keys; `restricted`: the named groups and users, and admins; `host`: people
 * whom the git host of the library lets read its repository, and admins.
 */
export const accessLevels = ['public', 'internal', 'restricted', 'host'] as const
export type AccessLevel = (typeof accessLevels)[number]

/** `groups` and `users` are the names of groups and the ids of users that may read what is restricted. */
export type LibraryRule = { pattern: string; access: AccessLevel; groups: string[]; users: string[] }

/** The rules at one time. */
export type RuleSet = {
  /** The most specific first. */
  list: readonly LibraryRule[]
  /** Differs after each change. */
  revision: number
  /** The rule that decides about a library: the most specific one that selects it. Undefined if none does. */
  of(id: string): LibraryRule | undefined
}

/** The rules about who may read which libraries. */
export type LibraryRules = {
  /** The rules now. Another process may have changed them. */
  current(): RuleSet
  /** Throws validation_error if there are too many. */
  set(rule: LibraryRule): void
  /** Throws not_found. */
  remove(pattern: string): void
}

const maxRules = 1_000

export function sqliteLibraryRules(db: DatabaseSync): LibraryRules {
  const all = db.prepare('SELECT pattern, access, groups, users FROM library_rules')
  const store = db.prepare('INSERT OR REPLACE INTO library_rules (pattern, access, groups, users) VALUES (?, ?, ?, ?)')
  const removeOne = db.prepare('DELETE FROM library_rules WHERE pattern = ?')
  // Differs when another connection has changed the database.
  const version = db.prepare('PRAGMA data_version')
  let known: { version: unknown; rows: string; rules: RuleSet } | undefined
  let isChanged = false
  const write = (work: () => void) => {
    transaction(db, work)
    isChanged = true
  }
  const current = () => {
    const { data_version: now } = { ...version.get() }
    if (known && known.version === now && !isChanged) return known.rules
    const stored = all.all()
    const rows = JSON.stringify(stored)
    const { rows: rowsBefore, rules: before } = known ?? { rows: undefined, rules: undefined }
    // Most changes by others are about something else, and views of libraries are computed again for each revision.
    const isSame = before !== undefined && rowsBefore === rows
    const rules = isSame ? before : ruleSet(stored.map(toRule), (before?.revision ?? 0) + 1)
    known = { version: now, rows, rules }
    isChanged = false
    return rules
  }
  return {
    current,
    set: ({ pattern, access, groups, users }) =>
      write(() => {
        const { list } = current()
        if (list.length >= maxRules && !list.some((rule) => rule.pattern === pattern))
          throw new AppError('validation_error', `There are ${maxRules} rules, which is the limit. Use patterns such as /acme/*.`)
        store.run(pattern, access, JSON.stringify(groups), JSON.stringify(users))
      }),
    remove: (pattern) =>
      write(() => {
        if (removeOne.run(pattern).changes > 0) return
        throw new AppError('not_found', `There is no rule for ${pattern}. GET /api/library-rules lists the rules.`)
      }),
  }
}

/** Rules by the part of a pattern that selects most, because thousands of libraries are compared with up to a thousand rules. */
function ruleSet(rules: LibraryRule[], revision: number): RuleSet {
  const list = rules.sort((a, b) => bySpecificity(a.pattern, b.pattern))
  const exact = new Map(list.filter(({ pattern }) => !pattern.includes('*')).map((rule) => [rule.pattern, rule]))
  const ranked = list.map((rule, rank) => ({ rule, rank, ...partsOf(rule.pattern) })).slice(exact.size)
  const ofAnyOwner = ranked.filter(({ owner }) => owner.includes('*'))
  const byOwner = Map.groupBy(
    ranked.filter(({ owner }) => !owner.includes('*')),
    ({ owner }) => owner,
  )
  const ruleBelow = (key: string) => {
    const { owner, repo } = partsOf(key)
    const named = byOwner.get(owner)?.find((each) => matches(each.repo, repo))
    const other = ofAnyOwner.find((each) => matches(each.owner, owner) && matches(each.repo, repo))
    return named && other ? (named.rank < other.rank ? named : other) : (named ?? other)
  }
  return {
    list,
    revision,
    /** For a library with the longer id of a second git host, a rule for just this id decides, then those of the shorter id, then others. */
    of(id) {
      if (list.length === 0) return undefined
      const keys = keysOf(id)
      const own = exact.get(keys.at(-1) ?? '')
      if (own) return own
      for (const key of keys) {
        const rule = exact.get(key) ?? ruleBelow(key)?.rule
        if (rule) return rule
      }
      return undefined
    },
  }
}

const toRule = (row: Record<string, unknown>): LibraryRule => ({
  pattern: String(row.pattern),
  access: row.access as AccessLevel,
  groups: JSON.parse(String(row.groups)),
  users: JSON.parse(String(row.users)),
})
