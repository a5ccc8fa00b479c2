import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { readConfig } from '../../../onprem/config.ts'
import { clientAddress } from '../../../shared/http/client-address.ts'
import { isOwnOrigin, isSecure } from '../../../shared/http/is-own-origin.ts'

async function asked<T>(
  look: (c: Parameters<typeof isSecure>[0]) => T,
  headers: Record<string, string>,
  peer?: string,
): Promise<T> {
  let seen: T | undefined
  const server = new Hono().get('/', (c) => {
    seen = look(c)
    return c.body(null)
  })
  await server.request('http://carrel.test/', { headers }, { incoming: { socket: { remoteAddress: peer } } })
  return seen as T
}

const chain = '203.0.113.9, 198.51.100.1, 10.0.0.2'

test.each([
  ['203.0.113.7', undefined, undefined, '203.0.113.7'],
  ['203.0.113.7', '198.51.100.1', undefined, '203.0.113.7'],
  ['::ffff:203.0.113.7', undefined, undefined, '203.0.113.7'],
  ['127.0.0.1', '198.51.100.1', undefined, '198.51.100.1'],
  ['::1', '198.51.100.1', undefined, '198.51.100.1'],
  ['::ffff:127.0.0.1', '1.1.1.1, 198.51.100.1', undefined, '198.51.100.1'],
  ['10.1.2.3', '198.51.100.1', undefined, '10.1.2.3'],
  ['192.168.0.9', '198.51.100.1', undefined, '192.168.0.9'],
  ['10.0.0.1', chain, '10.0.0.0/8', '198.51.100.1'],
  ['10.0.0.1', chain, '10.0.0.1', '10.0.0.2'],
  ['10.0.0.1', chain, '10.0.0.1, 10.0.0.2,198.51.100.0/24', '203.0.113.9'],
  ['127.0.0.1', '198.51.100.1', '10.0.0.1', '127.0.0.1'],
  ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.0/8', '10.0.0.3'],
  ['fd00::1', '2001:db8::5', 'fd00::/8', '2001:db8:0:0'],
  ['fd00::1', '[2001:db8::5]:4711', 'fd00::/8', '2001:db8:0:0'],
  ['127.0.0.1', '198.51.100.1:4711', undefined, '198.51.100.1'],
  ['127.0.0.1', '::ffff:198.51.100.1', undefined, '198.51.100.1'],
  ['127.0.0.1', 'unknown', undefined, '127.0.0.1'],
  ['127.0.0.1', '198.51.100.1, unknown', undefined, '127.0.0.1'],
  ['127.0.0.1', '', undefined, '127.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', undefined, undefined, '2001:db8:1:0'],
  ['2001:db8:1:12ff:3:4:5:6', undefined, undefined, '2001:db8:1:1200'],
  ['fe80::1%eth0', undefined, undefined, 'fe80:0:0:0'],
  [undefined, '198.51.100.1', undefined, 'unknown'],
])('a request from %s for "%s", with the trusted proxies %s, is from %s', async (peer, forwarded, TRUSTED_PROXIES, client) => {
  const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const { TRUSTED_PROXIES: proxies } = readConfig({ TRUSTED_PROXIES })
  expect(await asked((c) => clientAddress(c, proxies), headers, peer)).toBe(client)
})

test.each([
  [{}, false],
  [{ 'x-forwarded-proto': 'http' }, false],
  [{ 'x-forwarded-proto': 'https' }, true],
  [{ 'x-forwarded-proto': 'HTTPS, http' }, true],
])('a request with %j came over TLS: %s', async (headers, secure) => {
  expect(await asked(isSecure, headers as Record<string, string>)).toBe(secure)
})

const direct = { host: 'docs.example:3000' }
const proxied = { host: 'docs.example', 'x-forwarded-proto': 'https' }
const renamed = { host: '10.0.0.1:3000', 'x-forwarded-host': 'docs.example', 'x-forwarded-proto': 'https' }

test.each([
  [direct, 'http://docs.example:3000', true],
  [direct, 'https://docs.example:3000', true],
  [direct, 'http://docs.example', false],
  [direct, 'http://evil.example:3000', false],
  [direct, 'null', false],
  [direct, '', false],
  [direct, 'file://docs.example:3000', false],
  [{ host: 'DOCS.example:80' }, 'http://docs.example', true],
  [proxied, 'https://docs.example', true],
  [proxied, 'http://docs.example', false],
  [proxied, 'https://10.0.0.1:3000', false],
  [renamed, 'https://docs.example', false],
  [proxied, 'https://docs.example.evil.example', false],
])('a request with %j and the origin "%s" is from a page of this server: %s', async (headers, origin, own) => {
  expect(await asked((c) => isOwnOrigin(c, origin, undefined), headers)).toBe(own)
})

const forwarded = { 'x-forwarded-for': '198.51.100.1' }

test.each([
  [{ host: 'carrel.example' }, 'https://carrel.example', true],
  [{ host: '127.0.0.1:3000' }, 'https://carrel.example', true],
  [{ host: '127.0.0.1:3000' }, 'http://127.0.0.1:3000', true],
  [{ host: 'carrel.example' }, 'http://carrel.example', false],
  [{ host: 'carrel.example:8443' }, 'https://carrel.example:8443', false],
  [{ host: 'evil.example' }, 'https://evil.example', false],
  [{ host: '127.0.0.1:3000', ...forwarded }, 'http://127.0.0.1:3000', false],
  [{ host: '127.0.0.1:3000', 'x-real-ip': '198.51.100.1' }, 'http://127.0.0.1:3000', false],
  [{ host: '127.0.0.1:3000', via: '1.1 proxy' }, 'http://127.0.0.1:3000', false],
  [{ host: '127.0.0.1:3000', 'x-forwarded-host': 'evil.example' }, 'https://evil.example', false],
])('a request with %j, the origin "%s" and PUBLIC_URL is from a page of this server: %s', async (headers, origin, own) => {
  const { PUBLIC_URL } = readConfig({ PUBLIC_URL: 'https://carrel.example/docs' })
  expect(await asked((c) => isOwnOrigin(c, origin, PUBLIC_URL), headers as Record<string, string>)).toBe(own)
})
