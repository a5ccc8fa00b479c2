import { describe, expect, test } from 'vitest'
import { needsUserInfo, readClaims } from '../../../onprem/sso/read-claims.ts'
import { SsoIssuer } from '../../../shared/schemas/sso-issuer.ts'

const person = { iss: 'https://id.example.com', sub: 'ann' }
const entryOf = (more: Record<string, unknown> = {}) =>
  SsoIssuer.parse({ name: 'corp', kind: 'oidc', issuer: person.iss, clientId: 'carrel', ...more })

describe('groups', () => {
  const groups = (claims: Record<string, unknown>, more: Record<string, unknown> = { groupsClaim: 'groups' }) =>
    readClaims(entryOf(more), { ...person, ...claims })

  test('groups are not those of the issuer if no claim is named', () => {
    expect(groups({ groups: ['docs'] }, {}).groups).toBeUndefined()
  })

  test('groups of Keycloak keep their slash, and roles are a path', () => {
    const claims = { groups: ['/docs', '/docs/api'], realm_access: { roles: ['carrel-admin', 'offline_access'] } }
    const more = { kind: 'keycloak', roleClaim: 'realm_access.roles', adminValues: ['carrel-admin'] }
    expect(groups(claims, more)).toMatchObject({ groups: ['/docs', '/docs/api'], role: 'admin' })
  })

  test('groups of Entra ID get the names of the settings', () => {
    const [docs, other] = ['8c1f6a2e-8a0c-4f0e-9d5a-0f6b1f1f2a3b', '5d2b7c3d-1111-4222-8333-944455556666']
    const more = { kind: 'entra', groupNames: { [docs]: 'docs' } }
    expect(groups({ groups: [docs, other] }, more).groups).toEqual(['docs', other])
  })

  test('groups that Entra ID left out because there are too many are none, with a remark', () => {
    const claims = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://evil.example.com' } } }
    const { groups: read, remarks } = groups(claims, { kind: 'entra' })
    expect(read).toEqual([])
    expect(remarks).toEqual([expect.stringContaining('too many')])
  })

  test('groups that were left out let nobody in whom they would have to', () => {
    const more = { kind: 'entra', roleClaim: 'groups', memberValues: ['docs'] }
    expect(() => groups({ _claim_names: { groups: 'src1' } }, more)).toThrow('too many')
  })

  test('groups with strange names stay what they are, once each', () => {
    const strange = ['*', '/a/*', 'dосs', 'a,b', 'a\nb', '__proto__', 'constructor', '../admin', 'docs', 'docs']
    expect(groups({ groups: strange }).groups).toEqual(strange.slice(0, -1))
  })

  test('groups that are no texts, empty or very long are left out', () => {
    expect(groups({ groups: [1, null, ['docs'], {}, '', 'x'.repeat(257), 'docs'] }).groups).toEqual(['docs'])
    expect(groups({ groups: { 0: 'docs' } }).groups).toEqual([])
    expect(groups({ groups: 'docs' }).groups).toEqual(['docs'])
    expect(groups({}).groups).toEqual([])
  })

  test('groups may be ten thousand, and more are none', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `group-${n}`)
    expect(groups({ groups: many })).toMatchObject({ groups: { length: 10_000 }, remarks: [] })
    expect(groups({ groups: [...many, 'one-more'] })).toMatchObject({ groups: [], remarks: [expect.stringContaining('10000')] })
  })

  test('groups are never read from the prototype of the claims', () => {
    expect(groups({}, { groupsClaim: 'constructor.name' }).groups).toEqual([])
  })
})

describe('a user name', () => {
  test.each([
    ['Ann.Lee@Example.com', 'ann.lee@example.com'],
    ['Ann Lee', 'ann-lee'],
    ['аdmin', 'dmin'],
    ['../../etc', 'etc'],
    ['admin\u200b', 'admin-'],
    ['CORP\\ann', 'corp-ann'],
    ['x'.repeat(200), 'x'.repeat(60)],
  ])('the wish %s becomes %s', (preferred_username, username) => {
    expect(readClaims(entryOf(), { ...person, preferred_username }).username).toBe(username)
  })

  test('a user name is the address, the name or the subject of a person without one', () => {
    expect(readClaims(entryOf(), { ...person, email: 'ann@example.com' }).username).toBe('ann@example.com')
    expect(readClaims(entryOf(), { ...person, preferred_username: '李安', name: 'An Li' }).username).toBe('an-li')
    expect(readClaims(entryOf(), person).username).toBe('ann')
    expect(readClaims(entryOf(), { ...person, sub: '李安' }).username).toBe('user')
  })
})

test('a verified address of Entra ID is said by its own claim', () => {
  const entry = entryOf({ kind: 'entra', allowedDomains: ['example.com'] })
  const claims = { ...person, email: 'ann@example.com' }
  expect(() => readClaims(entry, claims)).toThrow('has not verified')
  expect(readClaims(entry, { ...claims, xms_edov: 1 }).sub).toBe('ann')
  expect(() => readClaims(entryOf({ allowedDomains: ['example.com'] }), { ...claims, xms_edov: 1 })).toThrow('has not verified')
})

test('the user info is asked only for a claim that the token lacks and the entry names', () => {
  const entry = entryOf({ groupsClaim: 'groups' })
  expect(needsUserInfo(entry, {})).toBe(true)
  expect(needsUserInfo(entry, { groups: [] })).toBe(false)
  expect(needsUserInfo(entry, { _claim_names: { groups: 'src1' } })).toBe(false)
  expect(needsUserInfo(entryOf(), {})).toBe(false)
})
