import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { bySpecificity, keysOf, keyTest } from '../../../onprem/accounts/library-pattern.ts'
import { type LibraryRule, sqliteLibraryRules } from '../../../onprem/accounts/library-rules.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

function openRules() {
  const folder = tempDir()
  const db = openDatabase(folder)
  onTestFinished(() => db.close())
  return { folder, rules: sqliteLibraryRules(db) }
}
const ruleFor = (pattern: string): LibraryRule => ({ pattern, access: 'internal', groups: [], users: [] })

const part = fc.constantFrom('acme', 'kit', 'docs', 'acme-docs', '*', 'a*', '*s', 'd*s', 'acme*')
const pattern = fc.tuple(part, part).map(([owner, repo]) => `/${owner}/${repo}`)
const name = fc.constantFrom('acme', 'kit', 'docs', 'acme-docs', 'a', 's', 'ds')
const id = fc.oneof(
  fc.tuple(name, name).map(([owner, repo]) => `/${owner}/${repo}`),
  fc.tuple(name, name).map(([owner, repo]) => `/gitlab/${owner}~${repo}`),
)

test('the most specific rule decides, as if all were tried in their order', () => {
  const { rules } = openRules()
  fc.assert(
    fc.property(fc.uniqueArray(pattern, { maxLength: 12 }), id, (patterns, library) => {
      for (const { pattern: old } of rules.current().list) rules.remove(old)
      for (const each of patterns) rules.set(ruleFor(each))
      const ordered = patterns.toSorted(bySpecificity)
      const keys = keysOf(library)
      const expected =
        ordered.find((each) => each === keys.at(-1)) ??
        keys.map((key) => ordered.find(keyTest(key))).find((each) => each !== undefined)
      expect(rules.current().of(library)?.pattern).toBe(expected)
    }),
    { numRuns: 200 },
  )
})

test('a change of another process that is not about rules leaves the revision, one of a rule does not', () => {
  const { folder, rules } = openRules()
  rules.set(ruleFor('/acme/*'))
  const before = rules.current()
  const other = openDatabase(folder)
  onTestFinished(() => other.close())
  other.exec("INSERT INTO groups (name) VALUES ('docs')")
  expect(rules.current()).toBe(before)
  sqliteLibraryRules(other).set(ruleFor('/acme/kit'))
  expect(rules.current().revision).toBeGreaterThan(before.revision)
  expect(rules.current().of('/acme/kit')?.pattern).toBe('/acme/kit')
})
