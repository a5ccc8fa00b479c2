import { describe, expect, test } from 'vitest'
import { SsoIssuerList } from '../../../shared/schemas/sso-issuer.ts'

const entry = { name: 'corp', kind: 'oidc', issuer: 'https://id.example.com/realms/docs', clientId: 'carrel' }

const problemOf = (...entries: unknown[]) => {
  const { error } = SsoIssuerList.safeParse(entries)
  const [issue] = error?.issues ?? []
  return issue && `${issue.path.join('.')} ${issue.message}`
}

describe('an issuer', () => {
  test('needs only its name, kind, address and client', () => {
    expect(SsoIssuerList.parse([entry])).toEqual([entry])
    expect(SsoIssuerList.parse(JSON.stringify([entry]))).toEqual([entry])
  })

  test('keeps a slash at the end of its address, which is a part of its name', () => {
    expect(SsoIssuerList.parse([{ ...entry, issuer: 'https://id.example.com/' }])[0]?.issuer).toBe('https://id.example.com/')
  })

  test.each([
    ['an address without TLS', { issuer: 'http://id.example.com' }, '0.issuer must start with https://'],
    ['an address with a query', { issuer: 'https://id.example.com/?a=b' }, '0.issuer must not contain a query'],
    ['a name that would leave the path', { name: '../corp' }, '0.name must begin with a letter'],
    ['a kind that does not exist', { kind: 'saml' }, '0.kind must be one of'],
    ['scopes without openid', { scopes: ['email'] }, '0.scopes must have openid'],
    ['the metadata service as host', { hosts: ['169.254.169.254'] }, '0.hosts.0 must not be the address'],
    ['values without a claim', { adminValues: ['admin'] }, '0.roleClaim is required'],
    ['a claim without values', { roleClaim: 'roles' }, '0.adminValues or memberValues'],
    ['a domain with a wildcard', { allowedDomains: ['*.example.com'] }, '0.allowedDomains.0 must be a domain'],
    ['an unknown field', { secret: 'x' }, '0 Unrecognized key'],
    [
      'several tenants',
      { kind: 'entra', issuer: 'https://login.microsoftonline.com/common/v2.0' },
      '0.issuer must name one tenant',
    ],
    ['everybody of Google', { kind: 'google', issuer: 'https://accounts.google.com' }, '0.allowedDomains is required'],
    ['everybody of gitlab.com', { kind: 'gitlab', issuer: 'https://gitlab.com' }, '0.allowedDomains is required'],
  ])('is rejected for %s', (_, change, problem) => {
    expect(problemOf({ ...entry, ...change })).toContain(problem)
  })

  test('is named once', () => {
    expect(problemOf(entry, { ...entry, issuer: 'https://other.example.com' })).toContain('has corp twice')
    expect(problemOf(entry, { ...entry, name: 'other' })).toContain('twice')
  })
})
