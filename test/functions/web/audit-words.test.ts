import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { adminOperations } from '../../../functions/admin/admin-operations.ts'
import { auditAction, shownFacts } from '../../../functions/web/pages/settings/audit-words.ts'

const folder = new URL('../../../functions/dashboard/', import.meta.url)
const nameOf = (user: string) => (user === '1' ? 'Ann' : 'a former member')

/** The names of the changes that the dashboard records. */
function dashboardChanges(): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const text = files.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n')
  return [...text.matchAll(/(?:what: |changing\(ports, [^']*|endMembership\(ports, acting, )'(\w+)'/g)].map(
    ([, name = '']) => name,
  )
}

test('each change that members or operators make has words', () => {
  const operations = [...adminOperations].filter(([, { describe }]) => describe !== undefined).map(([name]) => name)
  const changes = [...new Set([...dashboardChanges(), ...operations])].filter((name) => !ofNoTeamspace.includes(name))
  expect(changes.length).toBeGreaterThan(25)
  expect(changes.filter((name) => auditAction(name) === name)).toEqual([])
})

/** They are among the entries of no teamspace, or of one that nobody can open. */
const ofNoTeamspace = [
  'deleteTeamspace',
  'revokeLicense',
  'trustLicenseKey',
  'eraseSalts',
  'recover',
  'refresh',
  'acceptTakedown',
  'rejectTakedown',
]

test.each([
  [{ what: 'changeRole', before: { member: '1', role: 'developer' }, after: { role: 'admin' } }, 'Ann (role: developer → admin)'],
  [{ what: 'removeMember', before: { member: '2', role: 'admin' } }, 'a former member (role: admin)'],
  [{ what: 'leaveTeamspace', before: { member: '2', role: 'admin' } }, '(role: admin)'],
  [{ what: 'renameTeamspace', before: { name: 'Old' }, after: { name: 'New' } }, 'Old → New'],
  [{ what: 'revokeKey', before: { key: 'abc', name: 'ci' } }, 'ci'],
  [{ what: 'revokeKey', before: { key: 'abc' } }, 'abc'],
  [{ what: 'setPlan', before: { plan: 'free' }, after: { plan: 'team' } }, 'free → team'],
  [{ what: 'startExport', after: { libraries: ['/a/b', '/a/c', '/a/d', '/a/e', '/a/f'] } }, '/a/b, /a/c, /a/d and 2 more'],
  [{ what: 'changePolicy' }, ''],
])('the facts of %j are shown as %j', (entry, expected) => {
  expect(shownFacts(entry, nameOf)).toBe(expected)
})
