import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { keyPair, type SshServer, startSshServer } from '../fixtures/ssh-server.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { giteaPush, signatureOf } from '../fixtures/webhook-bodies.ts'

let app: TestInstall
let ssh: SshServer
const hostKey = keyPair()
const [ed25519, rsa, stranger] = [keyPair(), keyPair('rsa'), keyPair()]

beforeAll(async () => {
  app = await testInstall({ limits: { probeMs: 5_000 } })
  await app.git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever over ssh.\n' }, tags: ['v1.0'] })
  ssh = await startSshServer(hostKey, [ed25519, rsa], (repo) => {
    const folder = app.git.folder(repo)
    if (!existsSync(folder)) throw new Error('unknown')
    return folder
  })
})
afterAll(async () => {
  await ssh.close()
  await app.close()
})
beforeEach(() => ssh.misbehave(undefined))

const host = (more = {}) => ({
  name: 'vault',
  kind: 'git',
  baseUrl: `ssh://git@127.0.0.1:${ssh.port}`,
  knownHosts: `127.0.0.1 ${hostKey.publicKey}\n`,
  ...more,
})
const save = (more = {}, key: string | null = ed25519.privateKey) =>
  app.call('PATCH', '/api/settings', { 'git.hosts': [host(more)], 'git.hosts.vault.token': key })
const add = async (repoUrl: string) => {
  const { status, body } = await app.call('POST', '/api/parse', { repoUrl, force: true })
  expect({ status, body }).toMatchObject({ status: 202 })
  return app.ended(Number(body.queueId))
}

test.each([
  ['ed25519', ed25519],
  ['RSA', rsa],
])('a repository is read by ssh with a deploy key of type %s, which is nowhere afterwards', async (_, pair) => {
  expect((await save({}, pair.privateKey)).status).toBe(200)
  expect(await add(`ssh://git@127.0.0.1:${ssh.port}/acme/widgets.git`)).toMatchObject({ state: 'done', project: '/acme/widgets' })
  expect(await app.context('/acme/widgets', 'turn the lever')).toContain('lever over ssh')
  expect((await app.call('GET', '/api/projects/acme/widgets')).body).toMatchObject({ private: true })
  expect(readdirSync(join(app.dataDir, 'ssh'))).toEqual([])
  const shown = JSON.stringify([app.log.lines, (await app.call('GET', '/api/settings')).body])
  expect(shown).not.toContain(pair.privateKey.split('\n')[2])
  await app.call('DELETE', '/api/projects/acme/widgets')
})

test('the short form of an address names the same repository, and a version and a refresh are read', async () => {
  await save()
  const { body } = await app.call('POST', '/api/parse', { repoUrl: 'git@127.0.0.1:acme/widgets.git', versions: ['v1.0'] })
  expect(await app.ended(Number(body.queueId))).toMatchObject({ state: 'done' })
  expect(await app.context('/vault/acme~widgets@v1.0', 'turn the lever')).toContain('lever over ssh')
  await app.git.commit('acme/widgets', { files: { 'README.md': '# Widgets\n\nPush the button over ssh.\n' } })
  expect(await app.refresh('acme/widgets')).toMatchObject({ state: 'done' })
  expect(await app.context('/acme/widgets', 'push the button')).toContain('button over ssh')
  await app.call('DELETE', '/api/projects/acme/widgets')
})

test('a webhook of a library, or of its host, refreshes what is read by ssh', async () => {
  await save()
  await add(`ssh://git@127.0.0.1:${ssh.port}/acme/widgets.git`)
  const body = JSON.stringify(giteaPush({ repo: 'acme/widgets', url: 'http://git.example.com' }))
  for (const scope of [{ library: '/acme/widgets' }, { host: host().baseUrl }]) {
    const { body: hook } = await app.call('POST', '/api/hooks', { kind: 'gitea', ...scope })
    const answer = await app.json(`/api/hooks/${hook.id}`, {
      method: 'POST',
      body,
      headers: { 'x-gitea-event': 'push', 'x-gitea-signature': signatureOf(String(hook.secret), body) },
    })
    const { deliveries } = answer.body as { deliveries: { job: number }[] }
    expect(deliveries).toMatchObject([{ library: '/acme/widgets', outcome: 'queued' }])
    await app.ended(Number(deliveries[0]?.job))
  }
  await app.call('DELETE', '/api/projects/acme/widgets')
})

test('a host with another key than the pinned one gets nothing, and the error says so', async () => {
  await save({ knownHosts: `host ${stranger.publicKey}` })
  ssh.commands.length = 0
  const job = await add(`ssh://git@127.0.0.1:${ssh.port}/acme/widgets.git`)
  expect(job.error).toContain('has another host key than knownHosts of vault in git.hosts names')
  expect(ssh.commands).toEqual([])
})

test('a key that the host does not know is refused with what to do', async () => {
  await save({}, stranger.privateKey)
  const job = await add(`ssh://git@127.0.0.1:${ssh.port}/acme/widgets.git`)
  expect(job.error).toContain('refused the key in git.hosts.vault.token. Add its public key to the host as a deploy key.')
})

test('a repository that does not exist, and a host without a key, are said', async () => {
  await save()
  expect((await add(`ssh://git@127.0.0.1:${ssh.port}/acme/none.git`)).error).toContain('may not read it')
  await save({}, null)
  expect((await add(`ssh://git@127.0.0.1:${ssh.port}/acme/widgets.git`)).error).toContain('set git.hosts.vault.token')
})

test('a silent host is left after the time limit', async () => {
  await save()
  ssh.misbehave('silent')
  const { body } = await app.call('POST', '/api/settings/test?only=git.hosts', {})
  expect(body).toMatchObject({
    'git.hosts': { vault: { ok: false, error: expect.stringContaining('did not respond within 5 s') } },
  })
})

test('the test of the settings proves the key and the host key', async () => {
  await save()
  const tested = async () => (await app.call('POST', '/api/settings/test?only=git.hosts', {})).body
  expect(await tested()).toEqual({ 'git.hosts': { vault: { ok: true, login: null } } })
  await save({}, stranger.privateKey)
  expect(await tested()).toMatchObject({
    'git.hosts': { vault: { ok: false, error: expect.stringContaining('refused the key') } },
  })
})

test('an anonymous caller adds nothing by ssh', async () => {
  await save()
  app.app.settings.change({ 'permissions.anonymousParse': true })
  ssh.commands.length = 0
  const answer = await app.json('/api/parse', {
    method: 'POST',
    body: { repoUrl: `ssh://git@127.0.0.1:${ssh.port}/acme/widgets.git` },
  })
  expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_api_key' } })
  expect(ssh.commands).toEqual([])
})

test('an ssh address of a host that is not in the list is refused', async () => {
  await save()
  const { status } = await app.call('POST', '/api/parse', { repoUrl: 'ssh://git@git.example.com/a/b.git' })
  expect(status).toBe(400)
})

const key = (value: string) => app.call('PATCH', '/api/settings', { 'git.hosts': [host()], 'git.hosts.vault.token': value })

test('a key with a passphrase, and a text that is no key, are refused', async () => {
  for (const pair of [keyPair('ed25519', 'secret words'), keyPair('rsa', 'secret words')])
    expect((await key(pair.privateKey)).body.message).toContain('is a key with a passphrase')
  expect((await key('a-token')).body.message).toContain('must be a private key')
})

test.each([
  ['no host keys', { knownHosts: undefined }, 'knownHosts is required for an ssh:// address'],
  ['host keys that are none', { knownHosts: 'git.example.com' }, 'knownHosts must be lines of known_hosts'],
  [
    'a certificate authority as host key',
    { knownHosts: `@cert-authority * ${hostKey.publicKey}` },
    'must be lines of known_hosts',
  ],
  ['another kind', { kind: 'gitea' }, 'kind must be git for an ssh:// address'],
  ['an option as its name', { baseUrl: 'ssh://-oProxyCommand=id/a' }, 'must be an address such as ssh://git@'],
  ['a password in its address', { baseUrl: 'ssh://git:pass@git.example.com' }, 'must be an address such as ssh://git@'],
])('an ssh host with %s is refused', async (_, more, message) => {
  const answer = await app.call('PATCH', '/api/settings', { 'git.hosts': [host(more)] })
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  expect(answer.body.message).toContain(message)
})
