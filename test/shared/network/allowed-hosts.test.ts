import { expect, test } from 'vitest'
import { AllowedHost } from '../../../shared/network/allowed-host.ts'
import { allowedUrl } from '../../../shared/network/allowed-hosts.ts'

const rules = (allowed: string[], mayBePrivate = true) => ({ allowedHosts: () => allowed, mayBePrivate })
const isAllowed = (url: string, allowed: string[], mayBePrivate = true): boolean => {
  try {
    allowedUrl(url, rules(allowed, mayBePrivate))
    return true
  } catch {
    return false
  }
}

test.each([
  ['https://docs.example.com/a', ['docs.example.com'], true],
  ['https://DOCS.example.com/a', ['docs.example.com'], true],
  ['https://docs.example.com.evil.test/', ['docs.example.com'], false],
  ['https://docs.example.com:8443/', ['docs.example.com'], false],
  ['https://docs.example.com:8443/', ['docs.example.com:8443'], true],
  ['https://a.b.example.com/', ['*.example.com'], true],
  ['https://example.com/', ['*.example.com'], false],
  ['https://badexample.com/', ['*.example.com'], false],
  ['https://docs.example.com/', [], false],
  ['ftp://docs.example.com/', ['docs.example.com'], false],
  ['https://user:word@docs.example.com/', ['docs.example.com'], false],
  ['http://10.0.0.5/', ['10.0.0.5'], true],
  ['http://169.254.169.254/', ['169.254.169.254'], false],
  ['http://[fd00:ec2::254]/', ['[fd00:ec2::254]'], false],
])('the address %s is allowed by %j: %s', (url, allowed, expected) => {
  expect(isAllowed(url, allowed)).toBe(expected)
})

test('a private address is never allowed where no host may be private', () => {
  expect(isAllowed('http://10.0.0.5/', ['10.0.0.5'], false)).toBe(false)
  expect(isAllowed('http://127.0.0.1/', ['127.0.0.1'], false)).toBe(false)
})

test('the refusal of a host says which setting allows it', () => {
  expect(() => allowedUrl('https://docs.example.com/', rules([]))).toThrow(
    /docs\.example\.com is not among .* sources\.allowedHosts/,
  )
})

test.each([
  'https://docs.example.com',
  'docs.example.com/path',
  '*',
  'a b',
  '*.*.com',
  '169.254.169.254',
  'metadata.google.internal',
])('the setting refuses "%s" as a host', (host) => {
  expect(AllowedHost.safeParse(host).success).toBe(false)
})
