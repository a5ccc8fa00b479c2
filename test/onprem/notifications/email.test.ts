import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { notificationLimits } from '../../../onprem/notifications/limits.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

const tlsFile = (name: string) => new URL(`../../fixtures/tls/${name}`, import.meta.url).pathname
const tls = { key: readFileSync(tlsFile('server.key')), cert: readFileSync(tlsFile('server.pem')) }

async function mailServer(options: SMTPServerOptions) {
  const mails: string[] = []
  const server = new SMTPServer({
    ...tls,
    onAuth: ({ username, password }, _, done) =>
      username === 'ops' && password === 'sesame' ? done(null, { user: 'ops' }) : done(new Error('wrong')),
    onData: (stream, _, done) => void text(stream).then((mail) => done(null, void mails.push(mail))),
    ...options,
  })
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())))
  return { mails, port: (server.server.address() as AddressInfo).port }
}

async function install(settings: Record<string, unknown>): Promise<TestInstall> {
  const app = await testInstall({
    env: { NODE_EXTRA_CA_CERTS: tlsFile('ca.pem') },
    notificationLimits: { ...notificationLimits, gatherMs: 10, betweenMs: 20, retryPausesMs: [], sendMs: 5_000 },
  })
  onTestFinished(() => app.close())
  const changes = {
    'notifications.emailTo': 'ops@example.com, eve@example.com',
    'notifications.smtpHost': 'localhost',
    ...settings,
  }
  expect((await app.call('PATCH', '/api/settings', changes)).status).toBe(200)
  return app
}
const signedIn = { 'notifications.smtpUser': 'ops', 'notifications.smtpPassword': 'sesame' }
const sendTest = async (app: TestInstall) =>
  ((await app.call('POST', '/api/settings/test?only=email', {})).body as { email: { ok: boolean; error?: string } }).email

test.each([
  ['starttls', false],
  ['tls', true],
])('an event is sent by e-mail over %s with user and password, and a library name adds no header', async (security, secure) => {
  const { mails, port } = await mailServer({ secure })
  const app = await install({ 'notifications.smtpPort': port, 'notifications.smtpSecurity': security, ...signedIn })
  app.app.notifications.noteSafely(
    'job-failed',
    '/acme/docs\r\nBcc: evil@example.com\r\n\r\nbody',
    'It failed.\r\nBcc: evil@example.com',
  )
  await until(() => mails[0])
  const [head = '', body = ''] = (mails[0] ?? '').split('\r\n\r\n')
  expect(head).toMatch(/^To: ops@example\.com, eve@example\.com$/m)
  expect(head).toMatch(/^From: ops@example\.com$/m)
  expect(head).toMatch(/^Auto-Submitted: auto-generated$/m)
  expect(head).not.toMatch(/^Bcc/im)
  expect(body).toContain('It failed.')
  expect(body).not.toMatch(/^Bcc/im)
})

test('the password of the mail server is sent as it was given, with its spaces', async () => {
  const password = ' my dog é barks '
  const { port } = await mailServer({
    onAuth: (auth, _, done) => (auth.password === password ? done(null, { user: 'ops' }) : done(new Error('wrong'))),
  })
  const app = await install({ 'notifications.smtpPort': port, ...signedIn, 'notifications.smtpPassword': `${password}\n` })
  expect(await sendTest(app)).toMatchObject({ ok: true })
})

test('a mail server that refuses, a wrong password, and a missing encryption are said in one sentence', async () => {
  const refusing = await mailServer({
    authOptional: true,
    onMailFrom: (_, __, done) => done(Object.assign(new Error('no'), { responseCode: 550 })),
  })
  const app = await install({ 'notifications.smtpPort': refusing.port })
  expect(await sendTest(app)).toMatchObject({ ok: false, error: 'localhost refused the e-mail (550).' })
  await app.call('PATCH', '/api/settings', { ...signedIn, 'notifications.smtpPassword': 'wrong' })
  expect(await sendTest(app)).toMatchObject({ ok: false, error: 'localhost rejects the user or the password.' })
  const plain = await mailServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
  await app.call('PATCH', '/api/settings', { 'notifications.smtpPort': plain.port })
  expect((await sendTest(app)).ok).toBe(false)
  expect(plain.mails).toEqual([])
})

test('a password is bound to its mail server, and is not sent without encryption', async () => {
  const { mails, port } = await mailServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
  const app = await install({ 'notifications.smtpPort': port, ...signedIn })
  const changed = await app.ask('/api/settings', {
    method: 'PATCH',
    key: app.keys.admin,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ 'notifications.smtpSecurity': 'none' }),
  })
  expect(changed.headers.get('x-carrel-dropped')).toBe('notifications.smtpUser, notifications.smtpPassword')
  expect(await sendTest(app)).toMatchObject({ ok: true })
  await app.call('PATCH', '/api/settings', signedIn)
  expect(await sendTest(app)).toMatchObject({
    ok: false,
    error: expect.stringContaining('A password is not sent without encryption'),
  })
  expect(mails.length).toBe(1)
})

test('a mail server at a metadata address is refused', async () => {
  const app = await install({})
  for (const host of ['169.254.169.254', 'metadata.google.internal']) {
    const { status, body } = await app.call('PATCH', '/api/settings', { 'notifications.smtpHost': host })
    expect([status, body.message]).toEqual([400, expect.stringContaining('link-local or metadata address')])
  }
})
