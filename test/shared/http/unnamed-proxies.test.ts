import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../onprem/config.ts'
import { createServer } from '../../../onprem/server.ts'
import { unnamedProxies } from '../../../shared/http/unnamed-proxies.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

type Sender = { peer: string; headers?: Record<string, string>; key?: string }
type Logged = { fields: Record<string, unknown>; message: string }

/** A server with these trusted proxies, the warnings in its log, and a function that requests its health as a given peer. */
function started(TRUSTED_PROXIES?: string) {
  const logged: Logged[] = []
  const warn = (fields: Logged['fields'], message: string) => void logged.push({ fields, message })
  const { TRUSTED_PROXIES: trustedProxies } = readConfig({ TRUSTED_PROXIES })
  const log = { ...app.app.log, warn }
  const server = createServer(
    { ...app.app, trustedProxies, unnamedProxies: unnamedProxies(trustedProxies, log) },
    async () => true,
  )
  const health = async ({ peer, headers = {}, key = app.keys.admin }: Sender): Promise<string[]> => {
    const sent = { headers: { host: '127.0.0.1', ...headers, ...(key !== '' && { authorization: `Bearer ${key}` }) } }
    const response = await server.request('http://127.0.0.1/api/health', sent, { incoming: { socket: { remoteAddress: peer } } })
    return ((await response.json()) as { warnings: string[] }).warnings
  }
  return { logged, health }
}

const forwarded = { 'x-forwarded-for': '203.0.113.7' }
const advice = (peer: string) => expect.stringContaining(`add ${peer} to TRUSTED_PROXIES`)

test.each([
  ['10.1.2.3', forwarded, undefined, '10.1.2.3'],
  ['::ffff:172.20.0.1', forwarded, undefined, '172.20.0.1'],
  ['192.168.0.9', { forwarded: 'for=203.0.113.7' }, undefined, '192.168.0.9'],
  ['100.64.0.1', forwarded, undefined, '100.64.0.1'],
  ['fd00::5', forwarded, undefined, 'fd00::5'],
  ['fe80::1%eth0', forwarded, undefined, 'fe80::1'],
  ['127.0.0.1', forwarded, '10.0.0.1', '127.0.0.1'],
])('the proxy %s with %j is logged once and shown to admins if TRUSTED_PROXIES is %s', async (peer, headers, trusted, named) => {
  const { logged, health } = started(trusted)
  expect(await health({ peer, headers })).toEqual([advice(named)])
  expect(await health({ peer, headers })).toEqual([advice(named)])
  expect(await health({ peer: '127.0.0.1' })).toEqual([advice(named)])
  expect(logged).toEqual([{ fields: { peer: named }, message: expect.stringContaining('TRUSTED_PROXIES') }])
})

test.each([
  ['10.1.2.3', {}, undefined],
  ['10.1.2.3', forwarded, '10.0.0.0/8'],
  ['127.0.0.1', forwarded, undefined],
  ['::1', forwarded, undefined],
  ['fe80::1%eth0', forwarded, 'fe80::1'],
  ['198.51.100.7', forwarded, undefined],
  ['172.32.0.1', forwarded, undefined],
  ['2001:db8::5', forwarded, undefined],
])('the peer %s with %j causes no warning if TRUSTED_PROXIES is %s', async (peer, headers, trusted) => {
  const { logged, health } = started(trusted)
  expect([await health({ peer, headers: headers as Record<string, string> }), logged]).toEqual([[], []])
})

test('the address of a proxy is shown neither to members nor to anonymous callers', async () => {
  const { health } = started()
  await health({ peer: '10.1.2.3', headers: forwarded })
  for (const key of [app.keys.member, '']) expect(await health({ peer: '10.1.2.3', headers: forwarded, key })).toEqual([])
})

test('thousands of peers in a private network add only a few lines', async () => {
  const { logged, health } = started()
  for (let n = 0; n < 2_000; n += 1) await health({ peer: `10.0.${n >> 8}.${n & 255}`, headers: forwarded, key: '' })
  expect(logged).toHaveLength(20)
  expect(await health({ peer: '127.0.0.1' })).toHaveLength(20)
})
test('a proxy on this machine is reported if TRUSTED_PROXIES does not list the machine', async () => {
  const install = await testInstall({ env: { TRUSTED_PROXIES: '10.0.0.1' } })
  onTestFinished(() => install.close())
  const key = install.keys.admin
  const response = await fetch(`${install.url}/api/health`, { headers: { ...forwarded, authorization: `Bearer ${key}` } })
  expect(await response.json()).toMatchObject({ warnings: [advice('127.0.0.1')] })
  expect(install.app.recentLog.lines().join()).not.toContain('TRUSTED_PROXIES')
})
