import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../../../shared/indexing/limits.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import {
  bitbucketCloudPush,
  bitbucketServerPush,
  giteaPush,
  githubDeletedBranch,
  githubPing,
  githubPush,
  githubRelease,
  gitlabPush,
  gitlabRelease,
  gitlabTag,
  signatureOf,
  standardSignature,
} from '../../fixtures/webhook-bodies.ts'

let app: TestInstall
const secrets = new Map<string, string>()
const docs = (text: string) => ({ files: { 'README.md': page('Guide', text) } })

beforeAll(async () => {
  // A job that waits for its host blocks the queue for as long as a test needs.
  app = await testInstall({ limits: { clone: { ...limits.clone, idleMs: 10 * 60_000 } } })
  app.app.settings.change({
    'git.hosts': [
      { name: 'enterprise', kind: 'github', baseUrl: 'https://git.example.com' },
      { name: 'forge', kind: 'gitea', baseUrl: 'https://Forge.example.com/git' },
      { name: 'plain', kind: 'git', baseUrl: 'https://plain.example.com' },
    ],
  })
  for (const name of ['docs', 'busy', 'storm', 'other']) {
    await app.git.create(`acme/${name}`, docs('The lever turns.'))
    await app.parse(`acme/${name}`)
  }
})
afterAll(() => app.close())

type Body = Record<string, unknown>
const add = async (hook: Body) => {
  const { status, body } = await app.call('POST', '/api/hooks', hook)
  expect(status).toBe(201)
  secrets.set(String(body.id), String(body.secret))
  return String(body.id)
}
const post = async (path: string, body: string, headers: Record<string, string>) => {
  const answer = await app.json(path, { method: 'POST', body, headers })
  const { deliveries = [], ...rest } = answer.body as { deliveries?: Body[]; message: string }
  return { status: answer.status, outcomes: deliveries.map(({ outcome }) => outcome), delivery: deliveries[0], ...rest }
}
/** Delivers a body as GitHub, Gitea or Bitbucket signs it. */
const deliver = (id: string, value: unknown, headers: Record<string, string> = {}) => {
  const body = JSON.stringify(value)
  const signature = `sha256=${signatureOf(secrets.get(id) ?? '', body)}`
  const event = { 'x-github-event': 'push', 'x-github-delivery': randomUUID() }
  return post(`/api/hooks/${id}`, body, { ...event, 'x-hub-signature-256': signature, ...headers })
}
const of = (name: string, ref?: string) => ({ repo: `acme/${name}`, url: app.git.url, ...(ref && { ref }) })
const idle = () => until(() => app.app.jobs.active().length === 0)
const deliveries = async (id: string) => (await app.call('GET', `/api/hooks/${id}/deliveries`)).body.deliveries as Body[]

test('a library follows its repository by a webhook', async () => {
  const id = await add({ kind: 'github', library: '/acme/docs' })
  await app.git.commit('acme/docs', { files: { 'README.md': page('Guide', 'The crank spins.') } })
  const { status, delivery } = await deliver(id, githubPush(of('docs')))
  expect({ status, delivery }).toMatchObject({ status: 202, delivery: { library: '/acme/docs', outcome: 'queued' } })
  await app.ended(Number(delivery?.job))
  expect(await app.context('/acme/docs', 'crank')).toContain('The crank spins.')
  const { body } = await app.call('GET', '/api/audit?q=webhook')
  expect(JSON.stringify(body)).toContain('webhook github: /acme/docs')
})

test('a push to the repository that the install follows applies its file, also while an older commit is being applied', async () => {
  const id = await add({ kind: 'github', host: app.git.url })
  const entries = (...repos: string[]) => `libraries:\n${repos.map((repo) => `  - url: ${app.git.url}/${repo}\n`).join('')}`
  await app.git.create('acme/install', { files: { 'carrel.yaml': entries('acme/busy') } })
  app.app.settings.change({ 'gitops.repository': `${app.git.url}/acme/install`, 'gitops.schedule': 'manual' })
  expect(await deliver(id, githubPush(of('install', 'refs/heads/next')))).toMatchObject({ outcomes: ['ignored'] })
  const first = app.call('POST', '/api/gitops/reconcile')
  await until(() => app.app.gitops.isRunning())
  await app.git.commit('acme/install', { files: { 'carrel.yaml': entries('acme/other') } })
  for (const delivery of ['one', 'two', 'three'])
    expect(await deliver(id, { ...githubPush(of('install')), after: delivery }, { 'x-github-delivery': delivery })).toMatchObject(
      { outcomes: ['queued'] },
    )
  await first
  const declared = () => app.app.declared.libraries().flatMap(({ id, named }) => (named ? [id] : []))
  await until(() => declared().some(({ repo }) => repo === 'other'))
  expect((await app.call('GET', '/api/gitops/status')).body).toMatchObject({ libraries: 1, failed: null })
  await idle()
  app.app.settings.change({ 'gitops.repository': null })
})

test.each([
  ['a release', () => githubRelease(of('docs')), { 'x-github-event': 'release' }, 'queued'],
  ['a tag', () => githubPush(of('docs', 'refs/tags/v2.0.0')), {}, 'queued'],
  ['another branch', () => githubPush(of('docs', 'refs/heads/next')), {}, 'ignored'],
  ['a deleted branch', () => githubDeletedBranch(of('docs')), {}, 'ignored'],
  ['a star', () => ({ action: 'created', repository: { full_name: 'acme/docs' } }), { 'x-github-event': 'star' }, 'ignored'],
  ['a ping', githubPing, { 'x-github-event': 'ping' }, 'ignored'],
  ['a repository that is no library', () => githubPush(of('strange')), {}, 'ignored'],
])('%s from GitHub is handled by what it changes', async (_, body, headers, outcome) => {
  const id = await add({ kind: 'github' })
  await idle()
  expect(await deliver(id, body(), headers)).toMatchObject({ status: 202, outcomes: [outcome] })
})

test('a webhook of one library refreshes no other one', async () => {
  const id = await add({ kind: 'github', library: '/acme/docs' })
  expect(await deliver(id, githubPush(of('other')))).toMatchObject({ status: 202, outcomes: ['ignored'] })
})

test('a webhook of one host refreshes no library of another host', async () => {
  const id = await add({ kind: 'github', host: 'https://git.example.com' })
  expect(await deliver(id, githubPush(of('docs')))).toMatchObject({ status: 202, outcomes: ['ignored'] })
})

test('the path of the contract accepts deliveries of the GitHub webhook of a host', async () => {
  await add({ kind: 'github', host: 'https://git.example.com' })
  const id = await add({ kind: 'github' })
  const body = JSON.stringify(githubPush(of('other')))
  await idle()
  const signed = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${signatureOf(secrets.get(id) ?? '', body)}` }
  expect(await post('/api/github/webhook', body, signed)).toMatchObject({ status: 202, outcomes: ['queued'] })
  const forged = { ...signed, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }
  expect(await post('/api/github/webhook', body, forged)).toMatchObject({ status: 401, error: 'invalid_api_key' })
})

test('a delivery is accepted once, also under another id', async () => {
  const id = await add({ kind: 'github' })
  const push = githubPush(of('other'))
  await idle()
  expect(await deliver(id, push, { 'x-github-delivery': 'one' })).toMatchObject({ outcomes: ['queued'] })
  await idle()
  expect(await deliver(id, push, { 'x-github-delivery': 'one' })).toMatchObject({ status: 202, outcomes: ['repeated'] })
  expect(await deliver(id, push, { 'x-github-delivery': 'two' })).toMatchObject({ status: 202, outcomes: ['repeated'] })
  expect(await deliver(id, githubPush(of('other')), { 'x-github-delivery': 'one' })).toMatchObject({ outcomes: ['repeated'] })
})

test('a request without a valid signature is rejected, listed once, and queues nothing', async () => {
  const id = await add({ kind: 'github', library: '/acme/docs' })
  await idle()
  const push = githubPush(of('docs'))
  for (const signature of [`sha256=${'ab'.repeat(32)}`, 'sha256=', 'sha1=0123', ''])
    expect(await deliver(id, push, { 'x-hub-signature-256': signature })).toMatchObject({ status: 401 })
  expect(app.app.jobs.active()).toEqual([])
  expect(await deliveries(id)).toMatchObject([{ event: '', library: null, outcome: 'rejected', times: 4 }])
  expect(await post('/api/hooks/unknown', '{}', {})).toMatchObject({ status: 404, error: 'not_found' })
})

test('a body that was changed on the way is rejected', async () => {
  const id = await add({ kind: 'github' })
  const signature = signatureOf(secrets.get(id) ?? '', JSON.stringify(githubPush(of('docs'))))
  expect(await deliver(id, githubPush(of('other')), { 'x-hub-signature-256': `sha256=${signature}` })).toMatchObject({
    status: 401,
  })
})

test('a signed body that no host sends is rejected with the reason', async () => {
  const id = await add({ kind: 'github' })
  expect(await deliver(id, { ref: 5 })).toMatchObject({ status: 400, error: 'validation_error' })
  expect(await deliver(id, 'x'.repeat(6_000_000))).toMatchObject({ status: 413 })
})

test('Gitea and Forgejo sign as they describe it', async () => {
  const id = await add({ kind: 'gitea', library: '/acme/other' })
  for (const brand of ['gitea', 'forgejo']) {
    await idle()
    const value = giteaPush(of('other'))
    const signature = signatureOf(secrets.get(id) ?? '', JSON.stringify(value))
    const headers = { [`x-${brand}-event`]: 'push', [`x-${brand}-delivery`]: randomUUID(), [`x-${brand}-signature`]: signature }
    expect(await deliver(id, value, { 'x-hub-signature-256': '', ...headers })).toMatchObject({ outcomes: ['queued'] })
    const wrong = { ...headers, [`x-${brand}-signature`]: '0'.repeat(64) }
    expect(await deliver(id, giteaPush(of('other')), wrong)).toMatchObject({ status: 401 })
  }
})

test.each([
  ['Cloud', bitbucketCloudPush, 'repo:push', 'x-request-uuid'],
  ['Data Center', bitbucketServerPush, 'repo:refs_changed', 'x-request-id'],
])('Bitbucket %s signs as it describes it', async (_, body, event, idHeader) => {
  const id = await add({ kind: 'bitbucket', library: '/acme/other' })
  await idle()
  const value = body(of('other'))
  const signature = `sha256=${signatureOf(secrets.get(id) ?? '', JSON.stringify(value))}`
  const headers = { 'x-event-key': event, [idHeader]: randomUUID(), 'x-hub-signature': signature }
  expect(await deliver(id, value, headers)).toMatchObject({ outcomes: ['queued'] })
  expect(await deliver(id, value, { ...headers, 'x-hub-signature': 'sha256=00' })).toMatchObject({ status: 401 })
})

test('GitLab sends its secret token', async () => {
  const id = await add({ kind: 'gitlab', library: '/acme/other' })
  const token = { 'x-gitlab-token': secrets.get(id) ?? '' }
  for (const body of [gitlabPush, gitlabTag, gitlabRelease]) {
    await idle()
    const key = { 'idempotency-key': randomUUID() }
    expect(await deliver(id, body(of('other')), { ...token, ...key })).toMatchObject({ outcomes: ['queued'] })
    expect(await deliver(id, body(of('other')), { ...token, ...key })).toMatchObject({ outcomes: ['repeated'] })
  }
  expect(await deliver(id, gitlabPush(of('other')), { 'x-gitlab-token': 'wrong' })).toMatchObject({ status: 401 })
  expect(await deliver(id, gitlabPush(of('other')))).toMatchObject({ status: 401 })
})

test('GitLab signs with its signing token, and then its secret token is not enough', async () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef').toString('base64')}`
  const id = await add({ kind: 'gitlab', library: '/acme/other', secret })
  await idle()
  const value = gitlabPush(of('other'))
  const signed = (time: number) => standardSignature(secret, 'msg-1', time, JSON.stringify(value))
  const now = Math.floor(Date.now() / 1000)
  expect(await deliver(id, value, { 'x-gitlab-token': secret })).toMatchObject({ status: 401 })
  expect(await deliver(id, value, signed(now - 400))).toMatchObject({ status: 401 })
  expect(await deliver(id, value, signed(now))).toMatchObject({ outcomes: ['queued'] })
  expect(await deliver(id, value, signed(now))).toMatchObject({ outcomes: ['repeated'] })
})

test('a generic webhook signs the time and the body', async () => {
  const id = await add({ kind: 'generic', library: '/acme/other' })
  await idle()
  const send = (time: number, body: string, secret = secrets.get(id) ?? '') => {
    const signature = `t=${time},v1=${signatureOf(secret, `${time}.`, body)}`
    return post(`/api/hooks/${id}`, body, { 'x-carrel-signature': signature })
  }
  const now = Math.floor(Date.now() / 1000)
  expect(await send(now, '{}')).toMatchObject({ status: 202, outcomes: ['queued'] })
  expect(await send(now, '{}')).toMatchObject({ status: 202, outcomes: ['repeated'] })
  expect(await send(now - 400, '{}')).toMatchObject({ status: 401 })
  expect(await send(now + 400, '{}')).toMatchObject({ status: 401 })
  expect(await send(now, '{}', 'another secret')).toMatchObject({ status: 401 })
  expect(await send(now, '{"library":"/acme/docs"}')).toMatchObject({ status: 202, outcomes: ['ignored'] })
})

test('a push while a library is refreshed queues exactly one more refresh after it', async () => {
  const id = await add({ kind: 'github', library: '/acme/busy' })
  await idle()
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await app.git.commit('acme/busy', { files: { 'README.md': page('Guide', 'The first change.') } })
  let held = 0
  const parses = { project: { owner: 'acme', repo: 'busy' }, kinds: ['parse' as const] }
  app.git.misbehave('acme/busy', { kind: 'hold', until: released, held: () => held++ })
  const first = await deliver(id, githubPush(of('busy')))
  await until(() => held > 0)
  const before = app.app.jobs.list(1, 1, parses).total
  for (let n = 0; n < 5; n++) expect(await deliver(id, githubPush(of('busy')))).toMatchObject({ outcomes: ['follows'] })
  await app.git.commit('acme/busy', { files: { 'README.md': page('Guide', 'The second change.') } })
  app.git.misbehave('acme/busy')
  release()
  await app.ended(Number(first.delivery?.job))
  await until(() => app.app.jobs.list(1, 1, parses).total > before)
  await idle()
  expect(app.app.jobs.list(1, 1, parses).total).toBe(before + 1)
  expect(await app.context('/acme/busy', 'change')).toContain('The second change.')
})

test('10,000 deliveries collapse into one queued job and one entry of the list', async () => {
  const id = await add({ kind: 'github', library: '/acme/storm' })
  await app.git.create('acme/slow', docs('It waits.'))
  app.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
  const slow = await app.queue('acme/slow')
  await until(() => app.app.jobs.get(slow)?.state === 'parsing')
  const refreshes = () => app.app.jobs.list(1, 1, { project: { owner: 'acme', repo: 'storm' }, kinds: ['parse'] }).total
  const before = refreshes()
  const outcomes: unknown[] = []
  const sender = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const body = JSON.stringify(githubPush(of('storm')))
      const signature = `sha256=${signatureOf(secrets.get(id) ?? '', body)}`
      const headers = { 'x-github-event': 'push', 'x-github-delivery': randomUUID(), 'x-hub-signature-256': signature }
      const answer = await fetch(`${app.url}/api/hooks/${id}`, { method: 'POST', body, headers })
      outcomes.push(((await answer.json()) as { deliveries: Body[] }).deliveries[0]?.outcome)
    }
  }
  await Promise.all(Array.from({ length: 20 }, () => sender(500)))
  expect(outcomes.length).toBe(10_000)
  expect(outcomes.filter((each) => each === 'queued').length).toBe(1)
  expect(refreshes()).toBe(before + 1)
  expect(await deliveries(id)).toMatchObject([{ outcome: 'joined', times: 9_999 }, { outcome: 'queued' }])
  await app.app.worker.cancel(slow)
})

test('a webhook is listed without its secret and rejects deliveries after its removal', async () => {
  const id = await add({ kind: 'github', name: 'main', library: '/acme/docs' })
  const { body } = await app.call('GET', '/api/hooks')
  expect(body.hooks).toContainEqual(expect.objectContaining({ id, name: 'main', path: `/api/hooks/${id}`, lastDeliveryAt: null }))
  expect(JSON.stringify(body)).not.toContain(secrets.get(id))
  expect(await app.call('DELETE', `/api/hooks/${id}`)).toMatchObject({ status: 200 })
  expect(await deliver(id, githubPush(of('docs')))).toMatchObject({ status: 404 })
})

test.each([
  [{ kind: 'bitbucket' }, 400, 'host is required: the address of a host in the settings Git hosts'],
  [{ kind: 'github', library: '/acme/none' }, 404, 'is not in this install'],
  [{ kind: 'github', library: '/acme/docs', host: 'https://github.com' }, 400, 'host cannot be sent with library'],
  [{ kind: 'github', host: 'https://unknown.example.com' }, 400, 'host is no host of this install'],
  [{ kind: 'generic', host: 'https://unknown.example.com' }, 400, 'host is no host of this install'],
  [{ kind: 'gitlab', host: 'https://git.example.com' }, 400, 'which is a host of GitHub'],
  [{ kind: 'github', secret: 'short' }, 400, 'secret must be 16 to 200 plain ASCII characters'],
  [{ kind: 'gitlab', secret: 'whsec_!!!!!!!!!!!!!!!!!!!!' }, 400, 'it must be a signing token'],
])('the webhook %j is not added, and the error names the field', async (hook, status, message) => {
  expect(await app.call('POST', '/api/hooks', hook)).toMatchObject({
    status,
    body: { message: expect.stringContaining(message) },
  })
})

test.each([
  [{ kind: 'gitea' }, 'https://forge.example.com/git'],
  [{ kind: 'gitea', host: 'https://FORGE.example.com/git/' }, 'https://forge.example.com/git'],
  [{ kind: 'gitea', host: 'https://plain.example.com' }, 'https://plain.example.com'],
  [{ kind: 'generic', host: 'https://plain.example.com' }, 'https://plain.example.com'],
  [{ kind: 'github', secret: 'a secret with spaces' }, undefined],
])('the webhook %j is one of a host in the settings', async (hook, host) => {
  const { status, body } = await app.call('POST', '/api/hooks', hook)
  expect({ status, host: body.host }).toEqual({ status: 201, host: host ?? app.git.url })
})

test('an event without a repository is ignored', async () => {
  const id = await add({ kind: 'gitea', library: '/acme/other' })
  const body = JSON.stringify({ action: 'created', repository: null, package: { name: 'widgets' } })
  const headers = { 'x-gitea-event': 'package', 'x-gitea-signature': signatureOf(secrets.get(id) ?? '', body) }
  expect(await post(`/api/hooks/${id}`, body, headers)).toMatchObject({ status: 202, outcomes: ['ignored'] })
})

test('the body of a delivery to an unknown address is not read, however large it is', async () => {
  const body = 'x'.repeat(4 * 1024 * 1024 + 1)
  expect((await app.ask('/api/hooks/none', { method: 'POST', body })).status).toBe(404)
  const id = await add({ kind: 'github' })
  expect((await app.ask(`/api/hooks/${id}`, { method: 'POST', body })).status).toBe(413)
})
