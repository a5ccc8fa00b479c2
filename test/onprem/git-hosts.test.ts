import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { caFile, startSecureGitServer } from '../fixtures/git-hosts.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

let app: TestInstall
let forge: GitServer
let secure: GitServer
const files = { 'README.md': '# Widgets\n\nTurn the lever of the forge.\n' }

beforeAll(async () => {
  app = await testInstall()
  forge = await startGitServer()
  secure = await startSecureGitServer()
  for (const git of [app.git, forge]) {
    await git.create('acme/hidden', { files, private: '*:sesame' })
    await git.create('acme/open', { files })
  }
  await secure.create('acme/sealed', { files })
})
afterAll(async () => {
  await app.close()
  await Promise.all([forge.close(), secure.close()])
})
beforeEach(() => {
  app.app.settings.change({ 'git.hosts': null, 'github.token': null })
  forge.requests.length = 0
  app.git.requests.length = 0
})

const save = (changes: Record<string, unknown>) => app.call('PATCH', '/api/settings', changes)
const gitea = () => ({ name: 'forge', kind: 'gitea', baseUrl: forge.url })
const add = (repoUrl: string) => app.call('POST', '/api/parse', { repoUrl, force: true })

describe('a host in the list', () => {
  test('is contacted only while the list names it', async () => {
    expect(await add(`${forge.url}/acme/open`)).toMatchObject({ status: 400, body: { error: 'validation_error' } })
    expect(forge.requests).toEqual([])
    await save({ 'git.hosts': [gitea()] })
    const { body } = await add(`${forge.url}/acme/open`)
    expect(await app.ended(Number(body.queueId))).toMatchObject({ state: 'done' })
    expect(await app.context('/acme/open', 'turn the lever')).toContain(`${forge.url}/acme/open/src/commit/`)
    await save({ 'git.hosts': [] })
    expect(await app.call('POST', '/api/projects/acme/open/refresh')).toMatchObject({ status: 400 })
  })

  test('gets its own token, which no other host gets', async () => {
    const token = await save({ 'git.hosts': [gitea()], 'git.hosts.forge.token': 'sesame', 'github.token': 'other-secret' })
    expect(token.body).toMatchObject({ 'git.hosts.forge.token': { set: true, last4: '' }, 'git.hosts': [gitea()] })
    const { body } = await add(`${forge.url}/acme/hidden`)
    expect(await app.ended(Number(body.queueId))).toMatchObject({ state: 'done' })
    const sent = (git: GitServer) =>
      git.requests.map(({ authorization = '' }) => Buffer.from(authorization.slice(6), 'base64').toString())
    expect(new Set(sent(forge))).toEqual(new Set(['', 'oauth2:sesame']))
    expect(sent(app.git).join()).not.toContain('sesame')
    expect(JSON.stringify([app.log.lines, token.body])).not.toContain('sesame')
    await app.call('DELETE', '/api/projects/acme/hidden')
  })

  test('does not get its token at another address', async () => {
    await save({ 'git.hosts': [gitea()], 'git.hosts.forge.token': 'sesame' })
    forge.misbehave('acme/hidden', { kind: 'redirect', to: `${app.git.url}/acme/hidden` })
    const { body } = await add(`${forge.url}/acme/hidden`)
    expect((await app.ended(Number(body.queueId))).error).toContain('which is not followed')
    forge.misbehave('acme/hidden')
    expect(app.git.requests).toEqual([])
    expect((await app.ask('/api/settings', { key: app.keys.admin })).status).toBe(200)
    const moved = await save({ 'git.hosts': [{ ...gitea(), baseUrl: app.git.url.replace('127.0.0.1', 'localhost') }] })
    expect(moved.body).toMatchObject({ 'git.hosts.forge.token': null })
  })

  test('is trusted by the certificate authority in its entry', async () => {
    const host = { name: 'sealed', kind: 'git', baseUrl: secure.url }
    await save({ 'git.hosts': [host] })
    const refused = await add(`${secure.url}/acme/sealed.git`)
    expect((await app.ended(Number(refused.body.queueId))).error).toContain('certificate')
    await save({ 'git.hosts': [{ ...host, ca: readFileSync(caFile, 'utf8') }] })
    const { body } = await add(`${secure.url}/acme/sealed.git`)
    expect(await app.ended(Number(body.queueId))).toMatchObject({ state: 'done' })
  })

  test('is tested with the other services', async () => {
    await save({
      'git.hosts': [
        { ...gitea(), kind: 'git' },
        { ...gitea(), name: 'wrong', baseUrl: `${forge.url}/none` },
      ],
    })
    expect((await app.call('POST', '/api/settings/test?only=git.hosts', {})).body).toEqual({
      'git.hosts': {
        forge: { ok: true, login: null },
        wrong: { ok: false, login: null, error: expect.stringContaining('Check wrong in git.hosts') },
      },
    })
  })
})

test.each([
  ['the name of another source', { name: 'npm' }, 'git.hosts.0.name is the name of another source.'],
  ['a slash in its name', { name: 'a/b' }, 'git.hosts.0.name must begin with a letter'],
  ['an unknown kind', { kind: 'svn' }, 'git.hosts.0.kind must be one of github, gitlab, gitea'],
  ['a local path', { baseUrl: 'file:///srv/git' }, 'git.hosts.0.baseUrl must start with https://'],
  ['a token in its address', { baseUrl: 'https://token@git.example.com' }, 'git.hosts.0.baseUrl must not contain a user name'],
  ['a user name with a colon', { user: 'a:b' }, 'git.hosts.0.user must be a user name'],
  ['a certificate that is none', { ca: 'yes' }, 'git.hosts.0.ca must be certificates in PEM.'],
  ['a field that is none', { token: 'secret' }, 'git.hosts.0 '],
])('a host with %s is refused', async (_, part, message) => {
  const entry = { name: 'forge', kind: 'gitea', baseUrl: 'https://git.example.com', ...part }
  const answer = await save({ 'git.hosts': [entry] })
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  if (!message.endsWith('0 ')) expect(answer.body.message).toContain(message)
})

test('two hosts of one name or address are refused', async () => {
  const host = { name: 'forge', kind: 'gitea', baseUrl: 'https://git.example.com' }
  expect((await save({ 'git.hosts': [host, { ...host, baseUrl: 'https://other.example.com' }] })).body.message).toBe(
    'git.hosts has forge twice.',
  )
  expect((await save({ 'git.hosts': [host, { ...host, name: 'copy' }] })).body.message).toBe(
    'git.hosts has https://git.example.com twice.',
  )
  expect((await save({ 'git.hosts': [{ ...host, baseUrl: app.git.url }] })).body.message).toContain('which github.baseUrl names')
  expect((await save({ 'git.hosts.nobody.token': 'sesame' })).body.message).toContain('belongs to no host in git.hosts')
})
