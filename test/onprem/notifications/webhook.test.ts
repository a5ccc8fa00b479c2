import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { NotificationLimits } from '../../../onprem/notifications/limits.ts'
import { runCarrel } from '../../fixtures/run-carrel.ts'
import { scrape } from '../../fixtures/scrape.ts'
import { type InstallOptions, type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { isSigned, type WebhookReceiver, webhookReceiver } from '../../fixtures/webhook-receiver.ts'

const hour = 3_600_000
const limits: NotificationLimits = {
  gatherMs: 30,
  betweenMs: 60,
  repeatMs: hour,
  retryPausesMs: [20, 20],
  sendMs: 400,
  maxWaiting: 100,
}
let hook: WebhookReceiver
beforeEach(async () => {
  hook = await webhookReceiver()
})
afterEach(() => hook.close())

async function install(settings: Record<string, unknown>, options: InstallOptions = {}): Promise<TestInstall> {
  const app = await testInstall({ notificationLimits: limits, ...options })
  onTestFinished(() => app.close())
  if (Object.keys(settings).length > 0) expect((await app.call('PATCH', '/api/settings', settings)).status).toBe(200)
  return app
}
type Channel = { channel: string; state: string; waiting: number; dropped: number; failing: { message: string } | null }
async function channel(app: TestInstall, name = 'webhook'): Promise<Channel | undefined> {
  const { channels } = (await app.call('GET', '/api/notifications')).body as { channels: Channel[] }
  return channels.find((each) => each.channel === name)
}
const fail = (app: TestInstall, subject: string, text = 'It failed.') =>
  app.app.notifications.noteSafely('job-failed', subject, text)

test('a failed job reaches the webhook as JSON that a receiver with the key can verify', async () => {
  const app = await install({ 'notifications.webhookUrl': hook.url, 'notifications.webhookKey': 'a-signing-key' })
  const { id } = await app.parse('acme/missing')
  await until(() => hook.received[0])
  const [sent] = hook.received
  expect(sent?.body).toMatchObject({
    title: 'Carrel: job failed (/acme/missing)',
    test: false,
    events: [
      {
        kind: 'job-failed',
        subject: '/acme/missing',
        times: 1,
        text: expect.stringMatching(`^Job ${id} \\(refresh\\) failed: `),
      },
    ],
  })
  expect(sent?.headers['x-carrel-delivery']).toBe(sent?.body.id)
  expect(sent && isSigned(sent, 'a-signing-key')).toBe(true)
  expect(sent && isSigned(sent, 'another-key')).toBe(false)
})

test('a chat gets one text, in which no library name can mention people or add lines', async () => {
  const app = await install({ 'notifications.slackUrl': hook.url })
  fail(app, '/acme/<!channel>\r\nx', 'It & <b>\nfailed.')
  await until(() => hook.received[0])
  const { text, ...others } = { text: '', ...hook.received[0]?.body }
  expect(others).toEqual({})
  expect(text.split('\n').slice(0, 2)).toEqual([
    '*Carrel: job failed (/acme/&lt;!channel&gt; x)*',
    '/acme/&lt;!channel&gt; x: It &amp; &lt;b&gt; failed.',
  ])
})

test('a storm of events becomes one digest, and a failing job of the same library is reported once an hour', async () => {
  let now = Date.now()
  const app = await install({ 'notifications.webhookUrl': hook.url }, { now: () => new Date(now) })
  for (let n = 0; n < 60; n++) fail(app, `/acme/lib${n % 20}`, `Failure ${n}.`)
  now += limits.gatherMs
  await until(() => hook.received[0])
  expect(hook.received[0]?.body.title).toBe('Carrel: 20 jobs failed')
  expect(hook.received[0]?.body.events).toEqual(Array(20).fill(expect.objectContaining({ times: 3 })))
  // The pause before the next message counts from the end of this one, by the clock that moves on below.
  await until(async () => (await channel(app))?.waiting === 0)
  fail(app, '/acme/lib1', 'Again.')
  fail(app, '/acme/new', 'New.')
  now += limits.betweenMs
  await until(() => hook.received[1])
  expect(hook.subjects().slice(20)).toEqual(['/acme/new'])
  await until(async () => (await channel(app))?.waiting === 1)
  now += hour
  fail(app, '/acme/lib1', 'And again.')
  await until(() => hook.received[2])
  expect(hook.received[2]?.body.events).toEqual([
    expect.objectContaining({ subject: '/acme/lib1', text: 'And again.', times: 2 }),
  ])
})

test.each<[string, WebhookReceiver['answer'], string]>([
  ['that hangs', () => undefined, 'did not respond within 1 s.'],
  [
    'that redirects',
    (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'redirects (302), which is not followed',
  ],
  ['that refuses', (response) => void response.writeHead(403).end('secret-token'), 'responded with status 403.'],
])('a webhook %s fails visibly without its address, is tried three times, and delays no job', async (_, answer, why) => {
  const app = await install({ 'notifications.webhookUrl': hook.url })
  hook.answer = answer
  fail(app, '/acme/docs')
  await app.git.create('acme/quick', { files: { 'README.md': '# Quick\n\nThe lever turns.' } })
  expect(await app.parse('acme/quick')).toMatchObject({ state: 'done' })
  await until(async () => (await channel(app))?.dropped === 1)
  expect(hook.received.length).toBe(3)
  expect(new Set(hook.received.map(({ body }) => body.id)).size).toBe(1)
  const state = await channel(app)
  expect(state).toMatchObject({ state: 'failing', failing: { message: expect.stringContaining(why) } })
  const { warnings } = (await app.call('GET', '/api/health')).body as { warnings: string[] }
  expect(warnings).toContainEqual(expect.stringMatching(/^Notifications by webhook fail since .*1 event were dropped\.$/))
  const metrics = await scrape(app)
  expect(metrics.value('carrel_notifications_failing', { channel: 'webhook' })).toBe(1)
  expect(metrics.value('carrel_notifications_total', { channel: 'webhook', outcome: 'failed' })).toBe(3)
  const shown = JSON.stringify([state, warnings, app.log.lines])
  expect(shown).not.toContain('secret-token')
  hook.answer = (response) => void response.writeHead(204).end()
  fail(app, '/acme/more')
  await until(async () => (await channel(app))?.state === 'ready')
})

test('a webhook that answers without end is not read', async () => {
  const app = await install({ 'notifications.webhookUrl': hook.url })
  let sentBytes = 0
  hook.answer = (response) => {
    response.writeHead(200)
    const write = () => {
      sentBytes += 65_536
      if (!response.destroyed && response.write(Buffer.alloc(65_536))) setImmediate(write)
    }
    response.on('drain', write)
    write()
  }
  fail(app, '/acme/docs')
  await until(async () => (await channel(app))?.waiting === 0)
  expect(await channel(app)).toMatchObject({ state: 'ready', dropped: 0 })
  expect(sentBytes).toBeLessThan(50_000_000)
})

test('an event that was not accepted before a restart arrives after it, once', async () => {
  const slow = { ...limits, retryPausesMs: [hour] }
  const app = await install({ 'notifications.webhookUrl': hook.url }, { notificationLimits: slow })
  hook.answer = () => undefined
  fail(app, '/acme/docs')
  await until(() => hook.received[0])
  await app.stop()
  hook.answer = (response) => void response.writeHead(204).end()
  const again = await install({}, { reopen: app, notificationLimits: slow })
  await until(async () => (await channel(again))?.waiting === 0)
  expect(hook.subjects()).toEqual(['/acme/docs', '/acme/docs'])
  expect(new Set(hook.received.map(({ headers }) => headers['x-carrel-delivery'])).size).toBe(1)
})

test('a message that two processes did not survive is not sent a third time', async () => {
  const slow = { ...limits, retryPausesMs: [hour] }
  let app = await install({ 'notifications.webhookUrl': hook.url }, { notificationLimits: slow })
  hook.answer = () => undefined
  fail(app, '/acme/docs')
  for (let starts = 1; starts <= 2; starts++) {
    await until(() => hook.received.length === starts)
    await app.stop()
    app = await install({}, { reopen: app, notificationLimits: slow })
  }
  await until(async () => (await channel(app))?.waiting === 0)
  expect(hook.received.length).toBe(2)
})

test('a full disk, a license that ends and stale libraries are reported when they begin, not again after a restart', async () => {
  let now = Date.now()
  let freeBytes = 10_000_000_000
  const options: InstallOptions = {
    now: () => new Date(now),
    diskSpace: () => ({ freeBytes, sizeBytes: 100_000_000_000 }),
    license: { kind: 'offline', expiresAt: new Date(now + 40 * 24 * hour).toISOString() },
  }
  const app = await install({ 'notifications.webhookUrl': hook.url, 'refresh.schedule': 'off' }, options)
  await app.git.create('acme/docs', { files: { 'README.md': '# Docs\n\nThe lever turns.' } })
  await app.parse('acme/docs')
  const watch = (watched: TestInstall) => watched.app.notifications.watch(watched.app)
  // The pause before a message counts from the end of the one before, which may come after any step of this clock.
  const arrived = (count: number) =>
    until(() => {
      now += limits.betweenMs
      return hook.subjects().length >= count
    })
  watch(app)
  freeBytes = 1_000
  watch(app)
  await arrived(1)
  freeBytes = 10_000_000_000
  now += 35 * 24 * hour
  watch(app)
  await arrived(3)
  const kinds = hook.received.flatMap(({ body }) => (body.events as { kind: string; subject: string }[]).map(({ kind }) => kind))
  expect(kinds).toEqual(['disk-low', ...kinds.slice(1)])
  expect(kinds.slice(1).sort()).toEqual(['library-stale', 'license-ends'])
  await app.stop()
  const again = await install({}, { ...options, reopen: app })
  watch(again)
  expect((await channel(again))?.waiting).toBe(0)
})

test('a message holds no stored secret', async () => {
  const app = await install({ 'notifications.webhookUrl': hook.url, 'llm.provider': 'openai', 'llm.apiKey': 'plain-word-9876' })
  fail(app, '/acme/docs', 'The provider said: plain-word-9876 and ghp_0123456789 are wrong.')
  await until(() => hook.received[0])
  expect(hook.received[0]?.text).toContain('*** and *** are wrong')
})

test.each([
  ['http://169.254.169.254/latest', 'link-local or metadata address'],
  ['https://[::ffff:169.254.169.254]/', 'link-local or metadata address'],
  ['https://metadata.google.internal/', 'link-local or metadata address'],
  ['http://example.com/hook', 'must start with https://'],
  ['https://user:word@example.com/', 'user name or password'],
  ['file:///etc/passwd', 'must start with https://'],
])('the webhook address %s is refused, and not repeated in the error', async (address, why) => {
  const app = await install({})
  const { status, body } = await app.call('PATCH', '/api/settings', { 'notifications.webhookUrl': address })
  expect([status, body.message]).toEqual([400, expect.stringContaining(why)])
  expect(body.message).not.toContain(address)
})

test('carrel notify test sends to the channels that are on, and says what is wrong', async () => {
  const app = await install({ 'notifications.webhookUrl': hook.url })
  expect(await runCarrel(['notify', 'test'], { dataDir: app.dataDir })).toMatchObject({
    code: 0,
    out: expect.stringContaining('webhook: the test message was accepted'),
  })
  expect(hook.received[0]?.body).toMatchObject({ title: 'Carrel: test message', test: true, events: [] })
  hook.answer = (response) => void response.writeHead(500).end()
  const failed = await runCarrel(['notify', 'test', 'webhook'], { dataDir: app.dataDir })
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('responded with status 500') })
  const off = await runCarrel(['notify', 'test', 'email'], { dataDir: app.dataDir })
  expect(off).toMatchObject({ code: 1, err: expect.stringContaining('This channel is off') })
})

test('a test message is sent with settings that are not stored', async () => {
  const app = await install({})
  const { body } = await app.call('POST', '/api/settings/test?only=slack', { 'notifications.slackUrl': hook.url })
  expect(body).toMatchObject({ slack: { ok: true } })
  expect(hook.received.length).toBe(1)
  expect((await channel(app, 'slack'))?.state).toBe('off')
})
