import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { AuditEntry } from '../../../onprem/accounts/audit-log.ts'
import { syslogMessage } from '../../../onprem/forwarding/send-syslog.ts'
import { notificationLimits } from '../../../onprem/notifications/limits.ts'
import { type SyslogReceiver, syslogReceiver } from '../../fixtures/syslog-receiver.ts'
import { type InstallOptions, type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { isSigned, webhookReceiver } from '../../fixtures/webhook-receiver.ts'

const tlsFile = (name: string) => new URL(`../../fixtures/tls/${name}`, import.meta.url).pathname
const limits = { ...notificationLimits, gatherMs: 10, retryPausesMs: [10], sendMs: 1_000 }

async function install(settings: Record<string, unknown>, options: InstallOptions = {}): Promise<TestInstall> {
  const app = await testInstall({ notificationLimits: limits, ...options })
  onTestFinished(() => app.close())
  expect((await app.call('PATCH', '/api/settings', settings)).status).toBe(200)
  return app
}
async function collector(...args: Parameters<typeof syslogReceiver>): Promise<SyslogReceiver> {
  const receiver = await syslogReceiver(...args)
  onTestFinished(() => receiver.close())
  return receiver
}
const record = (app: TestInstall, subject: string) =>
  app.app.audit.record({ actor: { name: 'ada', id: 'u1', address: '192.0.2.7' }, action: 'key.create', subject })
const entryOf = (message: string) => JSON.parse(message.slice(message.indexOf('{'))) as AuditEntry
const subjects = ({ messages }: SyslogReceiver) => messages.map((message) => entryOf(message).subject)
const states = async (app: TestInstall) => (await app.call('GET', '/api/audit/head')).body.forwarding

test('entries reach a collector over TCP as RFC 5424, from the change that turned it on', async () => {
  const receiver = await collector()
  const app = await install({ 'storage.minFreeMb': 1 })
  await app.call('PATCH', '/api/settings', { 'audit.syslog': `tcp://127.0.0.1:${receiver.port}` })
  record(app, 'laptop')
  await until(() => subjects(receiver).includes('laptop'))
  expect(subjects(receiver)).toEqual(['audit.syslog', 'laptop'])
  const [entry] = app.app.audit.list(1, 1).entries
  expect(receiver.messages[1]).toMatch(/^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ carrel - key\.create - \{"id":/)
  expect(entryOf(receiver.messages[1] ?? '')).toEqual(entry)
  expect(await states(app)).toEqual([{ target: 'syslog', host: '127.0.0.1', waiting: 0, failing: null }])
})

test('a message has a warning for a refusal, and only ASCII', () => {
  const entry = { id: 1, at: '2026-11-30T00:00:00.000Z', action: 'session.begin', subject: 'ä\u2028😀', outcome: 'refused' }
  const message = syslogMessage('carrel.example.com', entry as AuditEntry)
  expect(message).toMatch(/^<108>1 2026-11-30T00:00:00\.000Z carrel\.example\.com carrel - session\.begin - [\x20-\x7e]+$/)
  expect(entryOf(message)).toEqual(entry)
})

test('nothing is lost and nothing is out of order while a collector is down, also over a restart', async () => {
  const first = await collector()
  const { port } = first
  const app = await install({ 'audit.syslog': `tcp://127.0.0.1:${port}` })
  await until(() => first.messages.length === 1)
  await first.close()
  for (let i = 0; i < 450; i++) record(app, `n${i}`)
  await until(async () => ((await states(app)) as { failing: unknown }[])[0]?.failing)
  await app.stop()
  const again = await testInstall({ notificationLimits: limits, reopen: app })
  onTestFinished(() => again.close())
  const second = await collector(undefined, port)
  await until(() => subjects(second).includes('n449'))
  const numbers = subjects(second).filter((subject) => /^n\d/.test(subject))
  expect([...new Set(numbers)]).toEqual(Array.from({ length: 450 }, (_, i) => `n${i}`))
})

test('entries that a collector cuts off are sent again', async () => {
  const receiver = await collector()
  let cuts = 0
  receiver.onConnection = (socket) => {
    if (++cuts <= 2) socket.resetAndDestroy()
  }
  const app = await install({ 'audit.syslog': `tcp://127.0.0.1:${receiver.port}` })
  record(app, 'laptop')
  await until(() => subjects(receiver).includes('laptop'))
  expect(cuts).toBeGreaterThan(2)
})

test('a collector that takes nothing delays no change, and its entries wait', async () => {
  const receiver = await collector()
  receiver.onConnection = (socket) => socket.pause().removeAllListeners('data')
  const app = await install(
    { 'audit.syslog': `tcp://127.0.0.1:${receiver.port}` },
    { notificationLimits: { ...limits, sendMs: 50 } },
  )
  await until(async () => ((await states(app)) as { failing: unknown }[])[0]?.failing)
  record(app, 'laptop')
  expect(await states(app)).toMatchObject([
    {
      waiting: expect.any(Number),
      failing: { message: expect.stringMatching(/^127\.0\.0\.1:\d+ did not take the entries within 1 s\.$/) },
    },
  ])
})

test('entries reach a collector over TLS whose certificate is trusted', async () => {
  const receiver = await collector({ cert: readFileSync(tlsFile('server.pem')), key: readFileSync(tlsFile('server.key')) })
  const app = await install(
    { 'audit.syslog': `tls://localhost:${receiver.port}` },
    { env: { NODE_EXTRA_CA_CERTS: tlsFile('ca.pem') } },
  )
  record(app, 'laptop')
  await until(() => subjects(receiver).includes('laptop'))
})

test('nothing is sent to a collector whose certificate is not trusted', async () => {
  const receiver = await collector({ cert: readFileSync(tlsFile('server.pem')), key: readFileSync(tlsFile('server.key')) })
  const app = await install({ 'audit.syslog': `tls://localhost:${receiver.port}` })
  await until(async () => ((await states(app)) as { failing: unknown }[])[0]?.failing)
  expect(await states(app)).toMatchObject([{ failing: { message: expect.stringContaining('is not trusted') } }])
  expect(receiver.messages).toEqual([])
})

test('entries reach a collector over UDP, a datagram each', async () => {
  const socket = createSocket('udp4')
  onTestFinished(() => void socket.close())
  const messages: string[] = []
  socket.on('message', (message) => messages.push(message.toString()))
  await once(socket.bind(0, '127.0.0.1'), 'listening')
  const app = await install({ 'audit.syslog': `udp://127.0.0.1:${(socket.address() as AddressInfo).port}` })
  record(app, 'laptop')
  await until(() => messages.some((message) => entryOf(message).subject === 'laptop'))
  expect(messages[0]).toMatch(/^<110>1 /)
})

test('entries reach a webhook as signed JSON', async () => {
  const hook = await webhookReceiver()
  onTestFinished(() => hook.close())
  const app = await install({ 'audit.webhookUrl': hook.url, 'audit.webhookKey': 'a-signing-key' })
  record(app, 'laptop')
  const sent = () => hook.received.flatMap(({ body }) => body.entries as AuditEntry[])
  await until(() => sent().some(({ subject }) => subject === 'laptop'))
  expect(hook.received.every((each) => isSigned(each, 'a-signing-key'))).toBe(true)
  expect(JSON.stringify(sent())).not.toContain('secret-token')
})

test('entries that wait are not deleted by age', async () => {
  let time = Date.parse('2026-11-30T12:00:00Z')
  const app = await install({ 'audit.syslog': 'tcp://127.0.0.1:9', 'audit.retentionDays': 1 }, { now: () => new Date(time) })
  await until(async () => ((await states(app)) as { failing: unknown }[])[0]?.failing)
  record(app, 'laptop')
  time += 10 * 86_400_000
  app.app.accessAudit.tidy()
  expect(app.app.audit.list(1, 10, { q: 'laptop' }).total).toBe(1)
  await app.call('PATCH', '/api/settings', { 'audit.syslog': null })
  await until(async () => ((await states(app)) as unknown[]).length === 0)
  await until(() => {
    app.app.accessAudit.tidy()
    return app.app.audit.list(1, 10, { q: 'laptop' }).total === 0
  })
})

test.each([
  ['tcp://logs.example.com:601', 'must start with tls://'],
  ['udp://203.0.113.4', 'must start with tls://'],
  ['tls://169.254.169.254:6514', 'must not be a link-local or metadata address'],
  ['https://logs.example.com', 'must be an address such as tls://'],
  ['tls://ada:secret@logs.example.com', 'must be an address such as tls://'],
  ['tls://logs.example.com/path', 'must be an address such as tls://'],
  ['logs.example.com', 'must be an address such as tls://'],
])('the address %s is rejected', async (address, message) => {
  const app = await testInstall()
  onTestFinished(() => app.close())
  expect(await app.call('PATCH', '/api/settings', { 'audit.syslog': address })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(message) },
  })
})
